# make run      see what devls says about examples/
# make test     every check and test there is
# make catalog  generate what devls knows of torch, and print how much of torch that is
# make fuzz     the engine against torch on 20 000 random programs, of three styles
# make fuzz-strength  mutants, bombs, bad inputs, kills, abusive clients and hostile programs that try to knock devls over
# make long     all that takes hours: both of the above, and what editing and checking cost
# make site     build/site, the documentation
# make package  dist/devls-VERSION.vsix, the VS Code extension
#
# Each target sets up what it needs; what is set up already is not done again (build/stamps remembers).
# PYTHON=python3.12 chooses the Python of a new .venv.

PYTHON ?=
BIN := .venv/bin
STAMPS := build/stamps
EDITORS := $(or $(DEVLS_TEST_EDITORS),.test-editors)
VERSION := $(shell sed -n 's/^  "version": "\(.*\)",$$/\1/p' package.json)
VSIX := dist/devls-$(VERSION).vsix
# The version whose behaviour the facts and tests were taken from.
TORCH := torch==2.13.0
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check

CLIENT := $(shell find client/src client/test -name '*.ts') client/esbuild.mjs tsconfig.json package.json
SERVER := $(shell find server/devls -type f -not -path '*/__pycache__/*')

.PHONY: run test catalog fuzz fuzz-strength long site package check-python test-python check-client test-editors clean
.DELETE_ON_ERROR:

# Findings are what the demonstration is for (exit 1); only an error of devls itself (2) fails it.
run: $(STAMPS)/installed
	@status=0; $(BIN)/devls --check examples/ || status=$$?; test $$status -le 1

test: check-python check-client test-python test-editors
	@echo "everything passed"

check-python: $(STAMPS)/tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	PYTHONPATH=server $(BIN)/lint-imports
	$(BIN)/python scripts/import_graph.py --check

test-python: $(STAMPS)/tools
	$(BIN)/pytest --quiet --numprocesses=2 --ignore=tests/e2e

catalog: $(STAMPS)/tools
	$(BIN)/python -W ignore scripts/generate_catalog.py
	$(BIN)/python -W ignore tests/against_torch/catalog_coverage.py

# Random programs, on torch and in the engine; COUNT=... for more or fewer.
COUNT ?= 20000
fuzz: $(STAMPS)/tools
	$(BIN)/python scripts/fuzz.py --count $(COUNT)

# Mutants (a quarter as many programs are generated), messages, kills of a writer and runs without room, deaths of a client, edits
# that are compared with a fresh analysis.
MUTANTS ?= 20000
MESSAGES ?= 20000
KILLS ?= 200
ROOM ?= 50
DEATHS ?= 200
EDITS ?= 5000
SEED ?= 0
fuzz-strength: $(STAMPS)/tools
	$(BIN)/python scripts/strength_inputs.py --seed $(SEED)
	$(BIN)/python scripts/strength_kill.py --count $(KILLS) --room $(ROOM) --seed $(SEED)
	$(BIN)/python scripts/strength_lsp.py --count $(MESSAGES) --seed $(SEED)
	$(BIN)/python scripts/strength_lsp.py --edits $(EDITS) --seed $(SEED)
	$(BIN)/python scripts/strength_probe.py --count $(DEATHS) --seed $(SEED)
	$(BIN)/python scripts/strength_code.py --count $(MUTANTS) --seed $(SEED)

long: fuzz fuzz-strength
	$(BIN)/python benchmarks/edit_cost.py
	$(BIN)/python benchmarks/cost.py server/devls
	$(BIN)/python benchmarks/traceback_truth.py
	$(PIP) --editable '.[dask]'
	$(BIN)/python benchmarks/dask_workers.py examples

# The documentation as a site, build/site.
site: $(STAMPS)/site
	$(BIN)/python scripts/build_site.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "build/site/index.html"

check-client: $(STAMPS)/node_modules client/out/extension.js
	npm run --silent check
	npm run --silent test

# Real editors compete for the processor with one another: one test at a time.
test-editors: $(STAMPS)/tools $(STAMPS)/editors $(VSIX)
	$(BIN)/pytest --quiet tests/e2e

package: $(VSIX)
	@ls -l $(VSIX)

# --- set-up -----------------------------------------------------------------------------------------------------------

$(BIN)/python:
	scripts/setup_python.sh $(PYTHON)

$(STAMPS)/installed: pyproject.toml | $(BIN)/python
	$(PIP) --editable .
	@mkdir -p $(@D) && touch $@

$(STAMPS)/tools: pyproject.toml Makefile | $(BIN)/python
	$(PIP) --editable '.[probe,test,lint]' $(TORCH)
	@mkdir -p $(@D) && touch $@ $(STAMPS)/installed

$(STAMPS)/site: pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[site]'
	@mkdir -p $(@D) && touch $@

$(STAMPS)/node_modules: package.json package-lock.json
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@mkdir -p $(@D) && touch $@

# Missing editors are said there; with CI=true one is a failure, elsewhere its tests are skipped, with a warning. The
# stamp only stands when all were there, so that one installed by hand is found the next time.
$(STAMPS)/editors: scripts/setup_editors.sh
	CI=$(CI) scripts/setup_editors.sh
	@mkdir -p $(@D); if CI=true scripts/setup_editors.sh >/dev/null 2>&1; then touch $@; fi

$(EDITORS)/bin/node:
	scripts/setup_editors.sh node

client/out/extension.js: $(STAMPS)/node_modules $(CLIENT)
	npm run --silent build

$(VSIX): client/out/extension.js $(SERVER) scripts/package_extension.py client/libraries.txt \
		client/README.md client/icon.png client/tool/devls_server.py docs/images/hover.png LICENSE package.json | $(BIN)/python $(EDITORS)/bin/node
	$(BIN)/python scripts/package_extension.py --node $(EDITORS)/bin/node

clean:
	rm -rf build dist client/out artifacts
