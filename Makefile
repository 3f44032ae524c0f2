# Every target builds what it needs: a fresh machine needs Python 3.11+, make and a package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Two test processes: the suite is written for two cores.
WORKERS ?= 2

.PHONY: setup model test check fix demo bench chaos ui ui-check docs clean

setup: $(VENV)/.installed

# With the extras that are optional for users: their tests and quality floors must run everywhere.
$(VENV)/.installed: requirements/runtime.txt requirements/dev.txt requirements/extras.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/runtime.txt -r requirements/dev.txt -r requirements/extras.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

model: setup
	$(BIN)/python -m mindlog.models.build
	$(BIN)/python -m mindlog.knowledge.places.build src/mindlog/models/data/places

test: model
	$(BIN)/python -m pytest -n $(WORKERS) -m "not chaos" $(ARGS)

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports --no-cache
	$(BIN)/python scripts/docs.py --check

fix: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

demo: model
	$(BIN)/python scripts/demo.py

bench: model
	$(BIN)/python bench/run.py $(ARGS)

chaos: model
	MINDLOG_TEST_LOOPS=1000 $(BIN)/python -m pytest -m chaos -p no:randomly --timeout 7200 $(ARGS)

docs: model
	$(BIN)/python scripts/docs.py
	$(BIN)/python scripts/story.py

# What the admin UI is built and tested with. Node is needed for nothing else.
NODE_MODULES := admin_ui/node_modules/.package-lock.json
$(NODE_MODULES): admin_ui/package.json admin_ui/package-lock.json
	cd admin_ui && npm ci
	touch $@

ui: setup $(NODE_MODULES)
	$(BIN)/python scripts/openapi.py admin_ui/openapi.json
	cd admin_ui && npm run types && npm run format && npm run build

# Form, types and component tests; the committed build is what its source makes, to the byte, and small enough.
ui-check: setup $(NODE_MODULES)
	cd admin_ui && npm run check && npm test
	$(BIN)/python scripts/check_ui.py

clean:
	rm -rf $(VENV) build dist demo-data .pytest_cache .ruff_cache .hypothesis
