PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
WORKERS ?= logical
PYTEST := $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal
HEAVY := tests/integrations/inspect_ai tests/web/test_schema.py tests/sparring_bots/service/test_any_request.py  # to import

INTEROP := .interop
AGENTS := "pydantic:pydantic-ai-slim[ag-ui]==2.68.0+starlette+uvicorn" "a2a:a2a-sdk[http-server]==1.3.0+uvicorn" \
	"mcp:mcp==2.3.0" "adk:google-adk==2.13.0" "langgraph:langgraph-cli[inmem]==0.4.40+langgraph==1.2.22" \
	"litellm:litellm[proxy]==1.108.7" \
	"objects:$(CURDIR)+openai-agents==0.24.0+pydantic-ai-slim==2.68.0+langgraph==1.2.22+google-adk==2.13.0"
A2A_PYTHON ?= $(or $(firstword $(wildcard $(HOME)/.pyenv/versions/3.12.*/bin/python)),python3.12)
RASA_PYTHON ?= $(or $(firstword $(wildcard $(HOME)/.pyenv/versions/3.10.*/bin/python)),python3.10)

unexport PYTHONDONTWRITEBYTECODE  # tests start hundreds of commands: what they import is compiled once

.PHONY: help venv same-python demo bench-trust test test-all test-fast test-image test-interop check check-statistics format lint types imports docs docs-write docs-site screenshots release lock clean

help:  ## what there is to make
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

venv: $(READY)  ## the virtual environment with everything in it

$(RUNTIME): pyproject.toml requirements/runtime.txt requirements/build.txt | same-python
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Sparring needs Python 3.11 or newer; this is %s. Try: make PYTHON=python3.12 ..." % sys.version.split()[0])'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --require-hashes -r requirements/runtime.txt
	@rm -rf $(VENV)/build
	$(PIP) install --require-hashes --target $(VENV)/build -r requirements/build.txt
	PYTHONPATH=$(abspath $(VENV)/build) $(PIP) install --no-deps --no-build-isolation --editable .
	@rm -rf $(VENV)/build
	@touch $(RUNTIME)

$(READY): $(RUNTIME) requirements/dev.txt
	$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $(READY)

same-python:  # an environment that is there keeps its Python, whichever PYTHON is asked for
ifneq ($(origin PYTHON),file)
	@test ! -x $(BIN)/python || test "$$($(BIN)/python -V)" = "$$($(PYTHON) -V)" || { \
		echo "$(VENV) has $$($(BIN)/python -V), not $$($(PYTHON) -V): another Python needs another place, such as VENV=.venv-other" >&2; exit 1; }
endif

demo: $(RUNTIME)  ## simulate, check and report against the reference pizzeria: no key, no network
	$(BIN)/sparring demo

test: $(READY)  ## the tests of a working day, on all cores: six minutes on two
	$(PYTEST) -m 'not live and not interop and not extended'

test-all: $(READY)  ## every test that needs neither a key nor a network, on all cores
	$(PYTEST)

test-fast: $(READY)  ## the tests that take no time and start no process: a minute at most
	$(PYTEST) -p no:schemathesis $(HEAVY:%=--ignore=%) -m 'not live and not interop and not extended and not process and not slow'

test-image: $(READY)  ## the commands of the Dockerfile, from an installed wheel; no image is built
	$(BIN)/python -m pytest tests/deployment

test-interop: $(READY) $(INTEROP)/.ready  ## real chatbots from PyPI, over their own protocols; SPARRING_INTEROP_RASA=1 for Rasa too
	@test -z "$(SPARRING_INTEROP_RASA)" || $(MAKE) --no-print-directory $(INTEROP)/rasa/.ready
	SPARRING_INTEROP=$(abspath $(INTEROP)) $(BIN)/python -m pytest -m interop tests/interop

$(INTEROP)/.ready: Makefile
	$(PYTHON) -m venv $(INTEROP)
	$(INTEROP)/bin/python -m pip install --quiet --disable-pip-version-check rivescript==1.15.0 flask==3.1.3 python-aiml==0.9.3 nltk==3.10.4 wheel "setuptools<81"
	cd $(INTEROP) && bin/python -m pip download --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-binary rivescript rivescript==1.15.0
	cd $(INTEROP) && tar xzf rivescript-1.15.0.tar.gz
	for each in $(AGENTS); do $(PYTHON) -m venv $(INTEROP)/agents/$${each%%:*} && $(INTEROP)/agents/$${each%%:*}/bin/python -m pip install --quiet --disable-pip-version-check $$(echo $${each#*:} | tr + ' ') || exit 1; done
	$(A2A_PYTHON) -m venv $(INTEROP)/agents/dummy && $(INTEROP)/agents/dummy/bin/python -m pip install --quiet --disable-pip-version-check dummy-a2a==0.6.4
	npm install --silent --prefix $(INTEROP)/agents/ai ai@6.0.326
	@touch $@

$(INTEROP)/rasa/.ready:  # 2.7 GB, some minutes, and Python 3.10
	$(RASA_PYTHON) -m venv $(INTEROP)/rasa
	$(INTEROP)/rasa/bin/python -m pip install --quiet --disable-pip-version-check rasa==3.6.21
	@touch $@

test-chaos: $(READY)  ## faults, kills, full disks: the long form, with figures
	SPARRING_CHAOS=long $(BIN)/python -m pytest -s tests/chaos

check-statistics: $(READY)  ## coverage, A/A and power of sparring.statistics by simulation; takes minutes
	$(BIN)/python benchmarks/check_statistics.py

bench-trust: $(READY)  ## mutants, null bots, A/A runs and user faults on one page; peers with PEER_DEEPEVAL=PYTHON, PEER_INSPECT=PYTHON
	PEER_INSPECT=$${PEER_INSPECT-$(abspath $(BIN)/python)} $(BIN)/python benchmarks/trust.py --write docs/explanation/trust-measured.md

format: $(READY)  ## put the code into the one format
	$(BIN)/ruff format src tests benchmarks docs examples tools
	$(BIN)/ruff check --fix src tests benchmarks docs examples tools

lint: $(READY)  ## format, lint and house rules, changing nothing
	$(BIN)/ruff format --check src tests benchmarks docs examples tools
	$(BIN)/ruff check src tests benchmarks docs examples tools
	$(BIN)/python tools/house.py

types: $(READY)  ## mypy, strict
	$(BIN)/mypy

imports: $(READY)  ## the layers of ARCHITECTURE.md
	$(BIN)/lint-imports

docs: $(READY)  ## links, commands and generated pages of the documentation
	$(PYTEST) --dist loadfile tests/docs -q

docs-write: $(READY)  ## write the generated pages of the reference
	$(BIN)/python docs/generate.py

docs-site: .site/.ready  ## the documentation as a site, in .site/html
	NO_MKDOCS_2_WARNING=1 .site/bin/mkdocs build --strict --quiet

.site/.ready: Makefile
	$(PYTHON) -m venv .site
	.site/bin/python -m pip install --quiet --disable-pip-version-check mkdocs-material==9.8.1
	@touch $@

screenshots: $(READY)  ## take the pictures of the documentation, with Chromium
	$(BIN)/python docs/screenshots.py

check: lint types imports test-all  ## what CI runs

release: $(READY)  ## rehearse a release: make release VERSION=0.1.0; TAG=1 commits and tags it
	@test -n "$(VERSION)" || { echo "which version? make release VERSION=0.1.0" >&2; exit 1; }
	$(BIN)/python tools/release.py $(VERSION) $(if $(TAG),--tag)

lock: ## resolve the pinned, hashed requirements anew (needs uv)
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --group dev pyproject.toml -o requirements/dev.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate pyproject.toml -o requirements/runtime.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --extra cluster -c requirements/runtime.txt pyproject.toml -o requirements/cluster.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --group build -o requirements/build.txt

clean:
	rm -rf $(VENV) $(INTEROP) .site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
