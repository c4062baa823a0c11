# Everything a newcomer types: `make play`, `make test`. Both begin with `make setup`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8080
LAYOUT ?= full
# Become root for Debian's packages: nothing as root, else sudo, which asks on a terminal only.
ROOT := $(shell [ "$$(id -u)" = 0 ] || { command -v sudo >/dev/null && { [ -t 0 ] && echo sudo || echo sudo -n; } || echo false; })

.PHONY: play setup test test-setup lint types pictures clean

play: setup
	@exec $(BIN)/azul-table play --data play-data --layout $(LAYOUT) --port $(PORT) $(ARGS)

setup: $(VENV)/current

# Again when pyproject.toml is newer; from nothing when an earlier try did not come to its end.
$(VENV)/current: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "azul-table needs Python 3.11 or newer; this is $$($(PYTHON) --version 2>&1)." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null \
		|| $(ROOT) sh -c 'apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y install python3-venv' \
		|| { echo "Python can't make environments here: install the package python3-venv and try again." >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

test-setup: setup $(VENV)/tests-current
	@command -v chromium >/dev/null \
		|| $(ROOT) sh -c 'apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y install chromium' \
		|| { echo "The browser tests need Debian's chromium: install the package chromium and try again." >&2; exit 1; }

$(VENV)/tests-current: $(VENV)/current
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

lint: test-setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: test-setup
	$(BIN)/mypy

test: lint types
	$(BIN)/pytest

# The README's pictures, taken from the table as it is now.
pictures: test-setup
	$(BIN)/python tests/pictures.py

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
