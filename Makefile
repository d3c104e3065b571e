# Each target does its own set-up, in .venv beside this file, and is quick the second time.
# All paths are relative: this folder may lie on a path with blanks.
PYTHON ?= python3
PY := .venv/bin/python

.PHONY: help demo test lint types bench doctor clean
.DEFAULT_GOAL := help

help: ## this list
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

demo: .venv/.frontend ## scripted agents on tasks of both domains, in about two minutes with set-up
	@$(PY) -m colbench_gym.cli demo

test: .venv/.dev ## every test, in parallel
	@$(PY) -m pytest -n auto --dist loadgroup -rs -q

lint: .venv/.dev ## ruff, rules and format
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .

types: .venv/.dev ## pyright
	@$(PY) -m pyright

bench: .venv/.dev ## speed, as ratios against a named alternative (BENCH_FILE, PAGES_FILE: on task files of yours)
	@$(PY) benchmarks/grading.py $(BENCH_FILE)
	@$(PY) benchmarks/user_recall.py $(or $(BENCH_FILE),embedded-backend:test)
	@$(PY) benchmarks/rendering.py $(PAGES_FILE)
	@$(PY) benchmarks/similarity.py $(PAGES_FILE)
	@$(PY) benchmarks/rollouts.py
	@$(PY) benchmarks/ray_rollouts.py
	@$(PY) benchmarks/vector_soak.py

doctor: .venv/.core ## what this machine can do, and the mend for what it cannot
	@$(PY) -m colbench_gym.cli doctor

clean: ## remove what the other targets made
	rm -rf .venv build dist ./*.egg-info .pytest_cache .ruff_cache .hypothesis

.venv/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "colbench-gym needs Python 3.11 or newer; $(PYTHON) is older. Mend: make PYTHON=/path/to/python3.11 ..."; exit 1; }
	@echo "Making .venv ..."
	@$(PYTHON) -m venv .venv || \
	  { rm -rf .venv; echo "$(PYTHON) cannot make a virtual environment. Mend: apt-get install python3-venv"; exit 1; }
	@touch $@

# Answers are shut in more tightly with bubblewrap, but it is not needed: the grader says what it used.
.venv/.system: .venv/.created
	@if command -v bwrap >/dev/null 2>&1; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	  echo "Installing bubblewrap ..."; \
	  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq bubblewrap; } >/dev/null 2>&1 || \
	    echo "bubblewrap could not be installed; going on without it (see: make doctor)"; \
	else \
	  echo "bubblewrap is missing; going on without it. Mend: sudo apt-get install bubblewrap (see: make doctor)"; \
	fi
	@touch $@

.venv/.core: setup.cfg pyproject.toml .venv/.system
	@echo "Installing colbench-gym into .venv ..."
	@$(PY) -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

# A browser and Tailwind. What cannot be had here is told, and keeps nobody from the rest; the next make tries again.
define set_up
	@touch .venv/.core
	@echo "Setting up Frontend Design ..."
	@if $(PY) -m colbench_gym.cli setup; then touch $(1); else \
	  echo "Going on without what is missing: Frontend Design will not work here until then (see: make doctor)"; fi
endef

.venv/.frontend: setup.cfg pyproject.toml .venv/.system
	@echo "Installing colbench-gym with what Frontend Design needs into .venv ..."
	@$(PY) -m pip install --quiet --disable-pip-version-check -e '.[frontend]'
	$(call set_up,$@)

.venv/.dev: setup.cfg pyproject.toml .venv/.system
	@echo "Installing colbench-gym and its tools into .venv (with torch: a minute or two) ..."
	@$(PY) -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	$(call set_up,.venv/.frontend $@)
