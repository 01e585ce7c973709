# Every target does all the set-up itself, in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt
SOURCES := $(shell find src -type f -not -path '*/__pycache__/*') pyproject.toml constraints.txt README.md

.PHONY: example picture serve wheel npm docs test lint browser node python clean

example: $(VENV)/wheel
	$(BIN)/wordalign align examples/eng.txt examples/deu.txt --raw --format tsv

# The same as pictures: one pair in the terminal, all of them on a page.
picture: $(VENV)/wheel
	$(BIN)/wordalign show examples/eng.txt examples/deu.txt --raw --line 1
	$(BIN)/wordalign show examples/eng.txt examples/deu.txt --raw --html build/examples.html
	@echo "All examples: build/examples.html"

serve: $(VENV)/wheel
	$(PIP) "$$(ls build/wheel/*.whl)[serve]"
	$(BIN)/wordalign serve --open

# One file that `pip install` takes on other machines.
wheel: $(VENV)/wheel
	@ls build/wheel/*.whl

# The same for browsers and Node: one file that `npm install` takes. It needs npm.
npm: $(VENV)/wheel
	$(BIN)/python js/make_package.py
	mkdir -p build/npm
	npm pack --silent ./js/build/wordalign --pack-destination build/npm

# The documentation as a site, with a reference made from the docstrings.
docs: $(VENV)/wheel
	$(PIP) "$$(ls build/wheel/*.whl)[docs]"
	$(BIN)/mkdocs build --strict --quiet
	@echo "The site: build/site/index.html"

test: lint browser node
	$(BIN)/python -m pytest

lint: $(VENV)/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Said at once, because pip would look for packages that fit an older Python for minutes.
python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	echo "wordalign needs Python 3.11 or newer, and $(PYTHON) is not ($$($(PYTHON) --version 2>&1))."; \
	echo "Say which Python to use, for instance: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }

# The built wheel is what runs and what is tested, never the source tree.
$(VENV)/wheel: $(SOURCES) | python
	$(PYTHON) -m venv $(VENV)
	$(PIP) build
	rm -rf build/wheel
	$(BIN)/python -m build --wheel --outdir build/wheel . > build.log || { cat build.log; exit 1; }
	rm -f build.log
	$(PIP) build/wheel/*.whl
	$(PIP) --no-deps --force-reinstall build/wheel/*.whl
	touch $@

# The web page is tested in a real Chromium, and pictures show words of many scripts. What is missing is installed
# where that is possible. Without Chromium the tests of the page are skipped; without fonts nothing is.
FONTS := /usr/share/fonts /usr/local/share/fonts $(HOME)/.fonts $(HOME)/.local/share/fonts
browser:
	@missing=""; \
	command -v chromium > /dev/null || command -v chromium-browser > /dev/null \
	|| command -v google-chrome > /dev/null || missing="chromium"; \
	find $(FONTS) -name 'Noto*' 2> /dev/null | grep -q . || missing="$$missing fonts-noto-core fonts-noto-cjk"; \
	[ -z "$$missing" ] || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && apt-get update -qq \
	&& DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing > /dev/null; } \
	|| echo "Not installed:" $$missing. "Without Chromium the tests of the web page are skipped."

# The JavaScript package is tested in Node and in Chromium, with what npm installs here.
node:
	@[ js/node_modules/.package-lock.json -nt js/package-lock.json ] \
	|| { command -v npm > /dev/null && npm ci --prefix js --ignore-scripts --fetch-retries=1 \
	--no-audit --no-fund --silent; } \
	|| echo "Not installed: js/node_modules, by npm. Without it the tests of the JavaScript package are skipped."

# eflomal is compiled on the spot; where that fails, only its tests and those of training/ are skipped.
$(VENV)/test: $(VENV)/wheel training/requirements.txt
	$(PIP) "$$(ls build/wheel/*.whl)[test]"
	$(PIP) --requirement training/requirements.txt || echo "The tests of training/ will be skipped."
	touch $@

clean:
	rm -rf $(VENV) build dist js/build js/node_modules
