# Everything starts here: `make` lists what there is.

VENV := .venv
PY := $(VENV)/bin/python
SOURCES := src tests scripts $(wildcard bench)
KILLS ?= 1000
ARGS ?=

.PHONY: help run test check unit snapshots format bench crash docs clean

help: ## list these targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):[^#]*## /  make \1\t/' | expand -t 16

run: $(VENV)/.run ## start Longrein (without a key: the demo); ARGS="..." is handed on
	@$(VENV)/bin/longrein $(ARGS)

test: check unit ## everything that must pass: `make check`, then all tests

check: $(VENV)/.dev ## format, lint, types, import directions, public names
	@echo "== format";  $(VENV)/bin/ruff format --check --quiet $(SOURCES)
	@echo "== lint";    $(VENV)/bin/ruff check --quiet $(SOURCES)
	@echo "== types";   $(VENV)/bin/pyright --pythonpath $(PY)
	@echo "== imports, public names"; $(PY) -m pytest -q tests/checks/test_imports.py tests/checks/test_public.py

unit: $(VENV)/.dev ## the tests alone; ARGS="tests/tools -k name" picks some
	@echo "== tests";   $(PY) -m pytest -q -n 2 --dist loadfile $(ARGS)

snapshots: $(VENV)/.dev ## draw the pictures of the terminal app in tests/tui/snapshots anew
	@rm -f tests/tui/snapshots/*.txt
	@SNAPSHOTS=write $(PY) -m pytest -q tests/tui/test_snapshots*.py

format: $(VENV)/.dev ## format the code and mend what lint can mend
	@$(VENV)/bin/ruff format $(SOURCES)
	@$(VENV)/bin/ruff check --fix $(SOURCES)

bench: $(VENV)/.dev ## measure against a bare client; writes bench/results.json
	@$(PY) bench/run.py $(ARGS)

crash: $(VENV)/.dev ## kill real processes KILLS times (1000); writes crash/results.json
	@$(PY) -m longrein.testing.crash --kills $(KILLS) $(ARGS)

docs: $(VENV)/.dev ## write docs/events.md anew from the code
	@$(PY) -m scripts.make_events_doc

clean: ## remove .venv, caches and build results
	@rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The two stamps: what is needed to run, and that plus the tools of development.
$(VENV)/.run: pyproject.toml scripts/venv.sh
	@scripts/venv.sh $(VENV) ".[app,prices,files,shell]"
	@touch $@

$(VENV)/.dev: pyproject.toml scripts/venv.sh
	@scripts/venv.sh $(VENV) ".[dev]"
	@touch $(VENV)/.run $@
