# Two commands: `make up` runs the memory, `make test` proves it. Both need only Python 3.11 or newer.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: up test check lint format types contracts unit clean

up: .venv/ready
	$(BIN)/chatmem up

test: .venv/ready-dev check unit

check: lint types contracts

lint: .venv/ready-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

format: .venv/ready-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: .venv/ready-dev
	$(BIN)/mypy
	@if command -v node >/dev/null; then $(BIN)/pyright --pythonpath $(BIN)/python; else echo "pyright skipped: it needs node"; fi

contracts: .venv/ready-dev
	$(BIN)/lint-imports

# Much of a test is waiting for processes; one process a core, each with a PostgreSQL of its own, at most four. The files
# go out in order, so the long ones (chain, conformance, crash) begin and the quick ones (unit) fill up the end; xdist's
# own order, most tests first, ends with one core at the longest file.
unit: .venv/ready-dev
	$(BIN)/pytest -q --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

clean:
	rm -rf .venv build dist

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv/ready-dev: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch .venv/ready $@
