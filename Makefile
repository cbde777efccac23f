# Two commands: `make up` runs the memory, `make test` tests it. Both need only Python 3.11 or newer.
PYTHON ?= python3
BIN := .venv/bin

# Check the version first, because pip's error under an older Python (macOS has 3.9) names neither the cause nor the
# fix.
OLD = this is Python %d.%d, and tellonce needs 3.11 or newer; name one, as in: make up PYTHON=python3.12
define new-venv
@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit("$(OLD)" % v if v < (3, 11) else 0)'
@echo "installing into .venv; the first time this takes two to five minutes"
@$(PYTHON) -m venv .venv
endef

.PHONY: up test check lint format types contracts dead copies unit docs clean

up: .venv/ready
	$(BIN)/tellonce up

# Static checks run beside the tests, which leave a core idle now and then.
test: .venv/ready-dev
	$(MAKE) --no-print-directory --jobs=4 check unit

check: lint types contracts dead copies

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

# Finds code that nothing calls. Tests count as callers; their own definitions are not checked.
dead: .venv/ready-dev
	! $(BIN)/vulture | grep -Ev '^(tests|benchmarks|docs)/'

# Finds five equal lines in two places of the product, without imports.
copies: .venv/ready-dev
	! $(BIN)/symilar --duplicates 5 --ignore-imports \
	  $$(git ls-files 'server/*.py' 'relay/*.py' 'summarizer_agent/*.py' 'sql/*.py' 'plugins/*.py') | grep -A 9 'similar lines'

# Files are distributed whole and in order: the long ones (chain, conformance, crash) run first and the quick ones
# (unit) fill the end. In xdist's own order, most tests first, one core would run the longest file alone at the end.
# tests/conftest.py sets the number of processes. Without stored bytecode, each would compile pytest's plugins again.
unit: .venv/ready-dev
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -q --numprocesses auto --dist loadfile --no-loadscope-reorder

# The static site in build/site; a broken link is an error.
docs: .venv/ready-dev
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[docs]'
	$(BIN)/python -m docs.generate
	$(BIN)/mkdocs build --strict --quiet

clean:
	rm -rf .venv build dist

.venv/ready: pyproject.toml
	$(new-venv)
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/ready-dev: pyproject.toml
	$(new-venv)
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch .venv/ready $@
