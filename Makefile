# Everything a newcomer types: `make play`, `make test`. Both begin with `make setup`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8080
LAYOUT ?= full
SIMULATE ?= table
# Become root for Debian's packages: nothing as root, else sudo, which asks on a terminal only.
ROOT := $(shell [ "$$(id -u)" = 0 ] || { command -v sudo >/dev/null && { [ -t 0 ] && echo sudo || echo sudo -n; } || echo false; })

.PHONY: play setup simulated-pico check test test-long mutants dist test-setup lint types pictures texts diagrams install uninstall clean

play: setup $(if $(filter pico,$(SIMULATE)),simulated-pico)
	@exec $(BIN)/azul-table play --data play-data $(if $(SIMULATE),--simulate $(SIMULATE)) --layout $(LAYOUT) --port $(PORT) $(ARGS)

setup: $(VENV)/current

# What the bots' core is compiled from, where there is a C compiler.
CORE := setup.py $(wildcard device/bots/core/*.pxd) $(patsubst %.pxd,%.py,$(wildcard device/bots/core/*.pxd))
# The Pico's own language, which the tests run the firmware in, as does `azul-table play --simulate pico`.
MICROPYTHON := @micropython/micropython-webassembly-pyscript@1.27.0

# Repeated when one of these files is newer. An environment without a working pip is created again.
$(VENV)/current: pyproject.toml $(CORE)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "azul-table needs Python 3.11 or newer; this is $$($(PYTHON) --version 2>&1)." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null \
		|| $(ROOT) sh -c 'apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y install python3-venv' \
		|| { echo "Python can't make environments here: install the package python3-venv and try again." >&2; exit 1; }
	@echo "Installing azul-table into $(VENV), and compiling the opponents where there is a C compiler: a few minutes, once."
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

test-setup: setup $(VENV)/tests-current simulated-pico $(VENV)/ola-tried
	@command -v chromium >/dev/null \
		|| $(ROOT) sh -c 'apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y install chromium' \
		|| { echo "The browser tests need Debian's chromium: install the package chromium and try again." >&2; exit 1; }

# OLA receives E1.31 in one test, which is skipped where Debian has no OLA; so this is tried once. Its file of
# defaults keeps the package from starting a service.
$(VENV)/ola-tried: | setup
	@command -v olad >/dev/null \
		|| $(ROOT) sh -c '[ -e /etc/default/ola ] || echo DAEMON_ARGS= >/etc/default/ola; apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends ola' \
		|| echo "The test with OLA will be skipped: install the package ola for it." >&2
	@touch $@

# A real MicroPython; it runs under Node.
simulated-pico: setup $(VENV)/micropython/current

$(VENV)/micropython/current: Makefile
	@command -v node >/dev/null && command -v npm >/dev/null \
		|| $(ROOT) sh -c 'apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y install nodejs npm' \
		|| { echo "The simulated Pico needs Node: install the packages nodejs and npm and try again." >&2; exit 1; }
	npm install --silent --no-audit --no-fund --prefix $(VENV)/micropython $(MICROPYTHON)
	@touch $@

# Compilers and Python's headers: for the libraries that send to lights, and for the fake devices beneath them.
$(VENV)/tests-current: $(VENV)/current
	@command -v gcc >/dev/null && command -v g++ >/dev/null && [ -e "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ] \
		|| $(ROOT) sh -c 'apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y install g++ libc6-dev python3-dev' \
		|| { echo "The tests compile libraries of lights: install the packages g++, libc6-dev and python3-dev and try again." >&2; exit 1; }
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

# Where this is set, each of the many processes of the tests compiles all files anew.
unexport PYTHONDONTWRITEBYTECODE

# A worker that has no tests left takes some from another one.
PYTEST := $(BIN)/pytest --dist worksteal --numprocesses
CORES := $(shell nproc)

lint: test-setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: test-setup
	$(BIN)/mypy

# For use after each change: lint, types and the quick tests, without a process, a browser or a wait.
# Their files are in memory where it can be had: the store waits for the disk at every choice.
check: export PYTEST_DEBUG_TEMPROOT = $(wildcard /dev/shm)
check: lint types
	$(PYTEST) $(CORES) -q -m "not system and not slow" --hypothesis-profile=quick

# Everything, in a few minutes; two workers for each core, because most of these tests wait most of the time.
test: lint types
	$(PYTEST) $(shell expr 2 \* $(CORES))

# Everything with many more examples, other ones each time, and a thousand kills of a running table.
test-long: lint types
	$(PYTEST) $(shell expr 2 \* $(CORES)) --hypothesis-profile=long

# Do the tests of a room notice faults? `make mutants ROOM=device/rules` puts some into a copy, one at a time.
mutants: test-setup
	$(BIN)/python -m tests.mutants $(or $(ROOM),device/rules) $(ARGS)

# The source archive and a wheel for this machine, in dist/.
dist: test-setup
	$(BIN)/python -m build

# The README's pictures, taken from the table as it is now.
pictures: test-setup
	$(BIN)/python -m tests.pictures

# The catalogues of translated texts after a change of web_ui/text/words/en.toml; lists what is to be translated. A
# new language is begun with its locale: `make texts LOCALE=it`
texts: setup
	$(BIN)/python -m web_ui.text.catalogues $(LOCALE)

# The maker's papers in hardware/wiring, made of the layouts and of the YAML beside them.
diagrams: setup
	@command -v dot >/dev/null \
		|| $(ROOT) sh -c 'apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y install graphviz' \
		|| { echo "The diagrams need Graphviz: install the package graphviz and try again." >&2; exit 1; }
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[papers]'
	$(BIN)/python -m hardware.papers

# On the Pi: the table as a service that starts with the machine. `sudo make install LAYOUT=duo`
install:
	@systemd/install $(if $(filter command line environment,$(origin LAYOUT)),$(LAYOUT))

uninstall:
	@systemd/uninstall $(ARGS)

clean:
	rm -rf $(VENV) device/bots/core/*.so device/bots/core/*.sha256 build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
