# `make example` and `make test` do all the set-up themselves, in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find src -type f) pyproject.toml constraints.txt README.md

.PHONY: example test lint bench clean

# The built wheel is what runs and what is tested, never the source tree.
$(VENV)/installed: $(SOURCES)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint constraints.txt build
	rm -rf build/wheel && $(BIN)/python -m build --quiet --wheel --outdir build/wheel
	$(BIN)/pip install --quiet --constraint constraints.txt "$$(ls build/wheel/*.whl)[test]"
	$(BIN)/pip install --quiet --no-deps --force-reinstall build/wheel/*.whl
	touch $@

example: $(VENV)/installed
	$(BIN)/wordalign align examples/eng.txt examples/deu.txt --raw --format tsv

test: $(VENV)/installed lint
	$(BIN)/python -m pytest

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf $(VENV) build dist
