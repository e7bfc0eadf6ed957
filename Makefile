# PolicyPal. `make run` and `make test` each work alone on a fresh clone.

SHELL := /bin/bash
VENV := .venv
PY := $(VENV)/bin/python
PYTEST := $(PY) -m pytest
PIP_INSTALL := $(PY) -m pip install --disable-pip-version-check --quiet --prefer-binary --no-compile

# Compiled modules are kept: dozens of test processes would otherwise each compile the same libraries for seconds.
unexport PYTHONDONTWRITEBYTECODE

# The first interpreter that is new enough; `make run PYTHON=/path/to/python` chooses another.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$p; break; }; done)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run ocr test check e2e faults bench samples composer clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(VENV)/.installed-run ## Install what is needed and open the app (PORT=8502 chooses the port)
	@$(VENV)/bin/streamlit run app.py $(if $(PORT),--server.port $(PORT))

ocr: $(VENV)/.installed-run ## Add text recognition of scanned pages (420 MB; not needed where ocrmypdf is installed)
	@echo "Installing text recognition (about 420 MB) ..."
	@$(PIP_INSTALL) -r requirements-ocr.txt -c constraints.txt

# Tests wait as long as they compute, so four work on two cores. What shares an application stays together (tests/conftest.py), and the
# long browser tests, which come first, are not left for the end.
PARALLEL := -n 4 --dist loadfile --no-loadscope-reorder

test: $(VENV)/.installed-dev ## Install what is needed and run every test but the long campaigns
	@$(PYTEST) -m "not faults" $(PARALLEL) $(ARGS)

check: $(VENV)/.installed-dev ## Lint, format, types, unused code and import contracts
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/vulture
	$(VENV)/bin/lint-imports --no-cache --no-logo

e2e: $(VENV)/.installed-dev ## Only the browser tests (need Chromium)
	@$(PYTEST) -m e2e $(ARGS)

faults: $(VENV)/.installed-dev ## The long campaigns: kills, outages, races
	@$(PYTEST) -m faults $(ARGS)

bench: $(VENV)/.installed-dev ## Every benchmark (DATA=folder with the labelled sets and pdfs/)
	@test -n "$(DATA)" || { echo "Usage: make bench DATA=path/to/labelled/sets"; exit 2; }
	$(PY) benchmarks/retrieval.py --passages "$(DATA)/obliqa/passages.jsonl" --questions "$(DATA)/obliqa/dev.jsonl"
	$(PY) benchmarks/questions.py --questions "$(DATA)/questions/dev.json" --pdfs "$(DATA)/pdfs"
	$(PY) benchmarks/questions.py --model --questions "$(DATA)/questions/dev.json" --pdfs "$(DATA)/pdfs"
	$(PY) benchmarks/requests.py --labels "$(DATA)/turns/dev.json"
	$(PY) benchmarks/support.py --probes "$(DATA)/support/dev.json"
	$(PY) benchmarks/support.py --engine model --probes "$(DATA)/support/dev.json"
	$(PY) benchmarks/register.py --labels "$(DATA)/register/dev.json" --pdfs "$(DATA)/pdfs"
	$(PY) benchmarks/coverage.py --data "$(DATA)/dpa-gdpr28/dev.json"
	$(PY) benchmarks/audit.py --cases "$(DATA)/audit-cases/dev.json"
	$(PY) benchmarks/audit_model.py --cases "$(DATA)/audit-cases/dev.json"
	$(PY) benchmarks/audit_model.py
	$(PY) benchmarks/audit_model.py --agreements "$(DATA)/dpa-gdpr28/dev.json"
	$(PY) benchmarks/ceilings.py --cases "$(DATA)/audit-cases/dev.json"
	$(PY) benchmarks/turns.py
	$(PY) benchmarks/compare.py --pdfs "$(DATA)/pdfs"
	$(PY) benchmarks/long_documents.py --pdfs "$(DATA)/pdfs"
	$(PY) benchmarks/long_documents.py --pdfs "$(DATA)/pdfs" --policy-pages 100
	$(PY) benchmarks/ingest.py --pdfs "$(DATA)/pdfs"
	$(PY) benchmarks/bulk_ingest.py --pdfs "$(DATA)/pdfs"
	$(PY) benchmarks/library.py
	$(PY) benchmarks/clicks.py
	$(PY) benchmarks/research.py --pdfs "$(DATA)/pdfs" --harvest

samples: $(VENV)/.installed-dev ## Render the fictional sample documents from their sources again
	@$(PY) scripts/make_samples.py

composer: ## Build the message field's script again (needs Node.js and npm; frontend/composer)
	@command -v npm >/dev/null || { echo "Building the composer needs Node.js 18.19 or newer with npm." >&2; exit 1; }
	cd frontend/composer && npm ci --no-audit --no-fund --loglevel=error && npm run --silent build

clean: ## Remove the environment and caches; your data in .policypal/ stays
	rm -rf $(VENV) frontend/composer/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

$(PY):
	@test -n "$(PYTHON)" || { echo "PolicyPal needs Python 3.11 or newer; none was found (yours: $$(python3 --version 2>&1 || true))." \
		"Install one from https://www.python.org/downloads/ or run: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "PolicyPal needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1)." >&2; exit 1; }
	@echo "Creating $(VENV) with $$($(PYTHON) --version) ..."
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "The environment could not be created. On Debian or Ubuntu: sudo apt install python3-venv" >&2; exit 1; }

$(VENV)/.installed-run: requirements.txt constraints.txt | $(PY)
	@echo "Installing what PolicyPal needs to run (the first time takes a minute or two) ..."
	@$(PIP_INSTALL) -r requirements.txt -c constraints.txt
	@touch $@

$(VENV)/.installed-dev: requirements.txt requirements-dev.txt constraints.txt | $(PY)
	@echo "Installing what PolicyPal needs to run and to be tested (the first time takes a minute or two) ..."
	@$(PIP_INSTALL) -r requirements-dev.txt -c constraints.txt
	@touch $(VENV)/.installed-run $@
