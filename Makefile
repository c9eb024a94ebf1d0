# Every target does its own set-up: a fresh clone needs Python 3.11–3.13 and nothing else.
# Paths here are relative to this file's directory, so that a space in its path does no harm.

PYTHON ?= python3
PORT ?= 8000
HOST ?= 127.0.0.1
STATE_DIR ?= .state
TEST_STATE_DIR ?= .state/test
BENCH_STATE ?= .state/bench
DATA ?= ../shared/data
BARS ?=
ARGS ?=

# No library reports to its maker (onnxruntime and unstructured would).
export ORT_DISABLE_TELEMETRY := 1
export DO_NOT_TRACK := 1
export SCARF_NO_ANALYTICS := 1

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input install --progress-bar off --require-hashes
BESIDE := FOOTNOTE_STATE_DIR="$(TEST_STATE_DIR)" $(BIN)/python -m portal.supervisor exec --throwaway

.DEFAULT_GOAL := help
.PHONY: help run test test-slow check style bench bench-search bars doctor secrets lock clean chromium

help: ## say what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' Makefile

run: .venv/.run ## start Footnote: PORT=8000 HOST=127.0.0.1 STATE_DIR=.state
	@PORT="$(PORT)" HOST="$(HOST)" FOOTNOTE_STATE_DIR="$(STATE_DIR)" exec $(BIN)/python manage.py up

test: .venv/.dev chromium ## run the tests: ARGS="-k name"
	@$(BESIDE) -- $(BIN)/python -m pytest -m "not slow" $(ARGS)

test-slow: .venv/.dev chromium ## run the long tests: fresh clone, kill -9, the whole stack
	@$(BESIDE) -- $(BIN)/python -m pytest -m slow $(ARGS)

check: .venv/.dev ## lint, format, types, import rules, templates, Django's checks, compose file
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/djlint --lint --quiet templates
	@$(BIN)/python -m pytest -q tests/stack/test_compose.py
	@$(BESIDE) --without valkey --without embedder -- sh -c '\
		$(BIN)/python manage.py bootstrap && \
		$(BIN)/python manage.py check --fail-level WARNING && \
		$(BIN)/python manage.py makemigrations --check --dry-run'
	@echo "check: clean"

style: .venv/.dev ## print the figures of style: function and module lengths, tests per source, broad excepts
	@$(BIN)/python -m bench.style

bench: .venv/.dev ## time the parts that decisions rest on: ARGS=web picks one
	@for part in $(or $(ARGS),web embedding); do $(BIN)/python -m "bench.$$part" || exit 1; done

bench-search: .venv/.dev ## quality, exact names and speed of search on public sets: DATA=../shared/data
	@$(BIN)/python -m bench.bars --data "$(DATA)" --state "$(BENCH_STATE)" $(or $(BARS),scifact_hybrid,cranfield_hybrid,identifiers_first,vector_p95_to_bare_sql,peers_behind_in_quality,recall_on_topic,vector_p95_ms_at_100k,cpu_1000_tenants_to_10,recall_at_a_million)

bars: .venv/.dev chromium ## measure every bar: BARS=name picks one
	@$(BIN)/python -m bench.bars $(BARS)

doctor: .venv/.run ## say what is there, what is missing and what that costs
	@FOOTNOTE_STATE_DIR="$(STATE_DIR)" $(BIN)/python manage.py doctor

secrets: .venv/bin/python ## make the secrets of compose.yaml in ./secrets, keeping those that exist
	@$(BIN)/python -m portal.embedded.deploy secrets

lock: .venv/.dev ## resolve the requirements again, with hashes
	@command -v uv >/dev/null || [ -x $(BIN)/uv ] || $(BIN)/python -m pip install --quiet uv
	@PATH="$$PWD/$(BIN):$$PATH" uv pip compile --quiet --universal --python-version 3.11 --no-emit-index-url \
		--generate-hashes pyproject.toml -o requirements.txt
	@PATH="$$PWD/$(BIN):$$PATH" uv pip compile --quiet --universal --python-version 3.11 --no-emit-index-url \
		--generate-hashes --group dev pyproject.toml -o requirements-dev.txt -c requirements.txt
	@! grep -n "://" requirements.txt requirements-dev.txt || { echo "A registry's address stands in the file."; exit 1; }

clean: ## remove the virtual environment and caches; the state directory stays
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if (3, 11) <= v[:2] <= (3, 13) else \
		"Footnote needs Python 3.11, 3.12 or 3.13; %s is %d.%d. Name another one: make $(MAKECMDGOALS) PYTHON=python3.12" \
		% (sys.executable, v[0], v[1]))'
	@echo "Making a virtual environment in .venv"
	@$(PYTHON) -m venv .venv || { rm -rf .venv; \
		echo "python3 -m venv failed. On Debian or Ubuntu: apt-get install python3-venv"; exit 1; }

.venv/.run: requirements.txt | .venv/bin/python
	@echo "Installing packages (1 GB; once, some minutes)"
	@$(PIP) -r requirements.txt
	@touch .venv/.run

.venv/.dev: requirements.txt requirements-dev.txt | .venv/bin/python
	@echo "Installing packages and the tools of the tests (1.4 GB; once, some minutes)"
	@$(PIP) -r requirements-dev.txt
	@touch .venv/.run .venv/.dev

# The browser of the browser tests comes from the system; without it they are skipped and say so.
chromium:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || { \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			echo "Installing chromium for the browser tests"; \
			{ apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || \
				echo "chromium could not be installed: the browser tests will be skipped"; \
		else echo "No chromium here: the browser tests will be skipped. Install it to run them."; fi; }
