# Every target sets up what it needs by itself: in .venv, or for another interpreter in a folder of its own, so that
# make test PYTHON=python3.13 tests what it says (.venv-python3.13).

PYTHON ?= python3
VENV := .venv$(if $(filter python3,$(PYTHON)),,-$(notdir $(PYTHON)))
RUN := $(VENV)/bin/python
INSTALL := $(RUN) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

PARALLEL := --numprocesses auto --maxprocesses 4 --dist worksteal

.DEFAULT_GOAL := help
.PHONY: help demo browser test lint bench tables figures docs dist clean

help: ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: $(VENV)/core ## play a quick tournament of scripts, planners and learned players, and explain a game; all in demo/
	rm -rf demo
	$(VENV)/bin/scotyard tournament --mr-x greedy,decoy,ppo_mr_x \
		--detectives greedy,astar_greedy,minimax,hunters,ppo_detectives --games 6 --out demo
	$(VENV)/bin/scotyard match --mr-x ppo_mr_x --detectives minimax --seed 7 --explain --out demo/game > demo/game.txt
	$(VENV)/bin/scotyard watch demo/game --explain --at 25 --out demo/decision.png
	@sed -n '/round 5,/,/plan /p' demo/game.txt
	@echo "demo/report.html has the tables and figures, demo/game.txt explains every move of a game, demo/decision.png draws one"

browser: $(VENV)/core ## install Chromium and TypeScript, with which pages are tested, where this machine allows it
	@command -v chromium > /dev/null || { apt-get update -qq && apt-get install -y -qq chromium > /dev/null; } || \
		echo "no Chromium could be installed: tests that need one are skipped"
	@test -x $(VENV)/node/node_modules/.bin/tsc || npm install --silent --prefix $(VENV)/node typescript@7.0.2 || \
		echo "no TypeScript could be installed: the test that needs it is skipped"

test: $(VENV)/dev ## run all tests, the rules also as plain Python
	$(RUN) -m pytest $(PARALLEL)
	NUMBA_DISABLE_JIT=1 $(RUN) -m pytest $(PARALLEL) tests/test_rules.py tests/test_belief.py tests/test_view.py \
		tests/test_features.py tests/test_encode.py

lint: $(VENV)/dev ## check format, style and types
	$(RUN) -m ruff format --check .
	$(RUN) -m ruff check .
	$(RUN) -m mypy

bench: $(VENV)/dev ## measure speed; prints a table and writes bench.json
	$(RUN) -m bench

tables: $(VENV)/dev ## play what the published tables lack, for hours, and put them into the pages
	$(RUN) -m bench.tables

figures: $(VENV)/docs ## draw the flow charts and the explained decisions of docs/algorithms.md anew
	$(RUN) -m bench.figures

docs: $(VENV)/docs ## build the documentation pages into site/
	$(VENV)/bin/zensical build --clean --strict

dist: ## build an sdist and from it a wheel, and try that in an empty environment
	rm -rf dist
	$(PYTHON) -m venv dist/venv
	dist/venv/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt hatchling
	dist/venv/bin/hatchling build -t sdist -d dist
	dist/venv/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist dist/*.tar.gz
	dist/venv/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt dist/*.whl
	mkdir dist/elsewhere && cp tests/try_wheel.py dist/elsewhere && cd dist/elsewhere && ../venv/bin/python try_wheel.py
	@ls -l dist/*.tar.gz dist/*.whl

clean: ## remove what the other targets made
	rm -rf .venv .venv-* demo bench.json site dist .cache

$(VENV)/core: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12")'
	@test -x $(RUN) || $(PYTHON) -m venv $(VENV)
	@echo "installing scotyard_env into $(VENV)"
	@$(INSTALL) --editable .
	@touch $@

$(VENV)/dev: $(VENV)/core
	@echo "installing the tools and the training libraries into $(VENV)"
	@$(INSTALL) --editable '.[dev]'
	@touch $@

$(VENV)/docs: $(VENV)/core
	@echo "installing the documentation tools into $(VENV)"
	@$(INSTALL) --editable '.[docs]'
	@touch $@
