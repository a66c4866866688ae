# Two commands for a newcomer: `make demo` and `make test`. Both set up everything they need.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
SYSTEMS ?=
PYTEST_ARGS ?= -n auto --dist loadfile

.PHONY: help demo test check bench conformance docs lock clean
.DEFAULT_GOAL := help

help:
	@echo "make demo         score the sample traces in examples/"
	@echo "make test         run the tests"
	@echo "make check        format, lint, types, layers, dead code"
	@echo "make bench        speed and memory, side by side with agentevals-cli"
	@echo "make conformance  GOLDENS=DIR: compare with recorded results of other systems"
	@echo "make docs         write the generated pages and schemas anew"
	@echo "make lock         lock the dependencies again"

demo: $(READY)
	@$(BIN)/python examples/demo.py

test: $(READY)
	@$(BIN)/pytest $(PYTEST_ARGS)

check: $(READY)
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/vulture

bench: $(READY)
	@$(BIN)/python -m tests.bench

conformance: $(READY)
	@test -n "$(GOLDENS)" || { echo "make conformance needs GOLDENS=DIR" >&2; exit 2; }
	@$(BIN)/python -m tests.conformance "$(GOLDENS)" $(SYSTEMS)

docs: $(READY)
	@$(BIN)/python -m agentevals.schemas
	@$(BIN)/python -m tests.reference

LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header --no-annotate pyproject.toml

lock: $(READY)
	@$(LOCK) -o requirements-runtime.lock
	@$(LOCK) --extra dev -o requirements.lock

$(READY): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "agentevals needs Python 3.11 or newer on PATH" >&2; exit 2; }
	@echo "setting up $(VENV) with $(PYTHON) (once)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

clean:
	rm -rf $(VENV)
