# `make example` and `make test` do all the set-up themselves, in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt
SOURCES := $(shell find src -type f -not -path '*/__pycache__/*') pyproject.toml constraints.txt README.md

.PHONY: example test lint clean

example: $(VENV)/wheel
	$(BIN)/wordalign align examples/eng.txt examples/deu.txt --raw --format tsv

test: lint
	$(BIN)/python -m pytest

lint: $(VENV)/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The built wheel is what runs and what is tested, never the source tree.
$(VENV)/wheel: $(SOURCES)
	$(PYTHON) -m venv $(VENV)
	$(PIP) build
	rm -rf build/wheel
	$(BIN)/python -m build --wheel --outdir build/wheel . > build.log || { cat build.log; exit 1; }
	rm -f build.log
	$(PIP) build/wheel/*.whl
	$(PIP) --no-deps --force-reinstall build/wheel/*.whl
	touch $@

# eflomal is compiled on the spot; where that fails, only the tests of training/ are skipped.
$(VENV)/test: $(VENV)/wheel training/requirements.txt
	$(PIP) "$$(ls build/wheel/*.whl)[test]"
	$(PIP) --requirement training/requirements.txt || echo "The tests of training/ will be skipped."
	touch $@

clean:
	rm -rf $(VENV) build dist
