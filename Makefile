# Everything happens in .venv, which any target sets up by itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-slow test-all check format docs pictures dist test-oldest constraints bench fuzz clean

demo: $(READY)
	$(BIN)/kernelect sample patients --out demo/patients.csv --force
	$(BIN)/kernelect fit demo/patients.csv --target recovered --out demo --force

# Two workers with one thread each. A worker begins with half of the files, so that a fixture is made once, and takes
# over tests of the other at the end.
PYTEST = OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 -q

# Every law, over some configurations and seeds. Slow tests hold the same laws over more of them.
test: check
	$(PYTEST) --dist worksteal

# As many as fit: make test-slow WITHIN=600 starts no test after ten minutes, and begins with some of every file.
test-slow: $(READY)
	$(PYTEST) -m slow $(if $(WITHIN),--maxschedchunk 1 --within $(WITHIN))

test-all: test test-slow

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell *.md src docs examples benchmarks changelog.d
	$(BIN)/zizmor --offline --quiet .github

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The site, in docs/_build/html: warnings are errors, examples and doctests run, links inside are followed.
SPHINX = $(BIN)/sphinx-build -q -W --keep-going -j 2 -d docs/_build/doctrees

docs: $(READY)
	$(SPHINX) -b html docs docs/_build/html
	$(SPHINX) -b doctest docs docs/_build/doctest
	$(BIN)/python docs/check.py docs/_build/html

# What would be uploaded: archive and wheel, checked, the wheel installed and used in an environment with nothing else.
dist: $(READY)
	rm -rf dist
	$(BIN)/python -m build --outdir dist . > /dev/null
	$(BIN)/twine check --strict dist/*
	$(PYTHON) -m venv dist/bare
	dist/bare/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	cd dist && bare/bin/python ../tests/bare.py

# The tests of the numerics with the oldest versions that pyproject.toml allows; pytest 9 refuses scikit-learn 1.6's checks.
OLDEST := .venv-oldest

test-oldest: $(READY)
	$(BIN)/python tests/oldest.py > $(VENV)/oldest.txt
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check --constraint $(VENV)/oldest.txt \
		--editable '.[cli,parquet]' 'pytest<9' pytest-xdist hypothesis mpmath polars
	$(OLDEST)/bin/python -m pytest -n 2 -q tests/kernels tests/machines tests/criteria tests/priors tests/search \
		tests/contracts tests/mixture tests/explain tests/inputs tests/cli/test_fit.py tests/cli/test_sentences.py \
		tests/tabular/test_read.py tests/tabular/test_schema.py tests/tabular/test_hand_over.py tests/tabular/test_predict.py

# The pictures of the report and the app in docs/_static, which README and site show: needs Chromium.
pictures: $(READY)
	$(BIN)/python docs/pictures.py

# A campaign on made-up inputs: make fuzz FITS=10000 COMMANDS=2000 FILES=2000 MODELS=2000 KILLS=100 SEED=1
FITS ?= 500
COMMANDS ?= 100
FILES ?= 200
MODELS ?= 200
KILLS ?= 5
SEED ?= 0
COUNTS ?= fuzz.json

fuzz: $(READY)
	OMP_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python -m fuzz --fits $(FITS) --commands $(COMMANDS) --files $(FILES) \
		--models $(MODELS) --kills $(KILLS) --seed $(SEED) --out $(COUNTS)

# The newest versions of everything that the tests need: run make test-all before you keep the file.
constraints: pyproject.toml
	$(PYTHON) -m venv $(VENV)-newest
	$(VENV)-newest/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	(sed -n 1p constraints.txt; $(VENV)-newest/bin/python -m pip freeze --exclude-editable) > constraints.new
	mv constraints.new constraints.txt
	rm -rf $(VENV)-newest

bench: $(READY)
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf $(VENV) $(OLDEST) dist demo docs/_build docs/gallery .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "kernelect needs Python 3.11 or newer; name one: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]' \
		|| { echo "constraints.txt does not fit this Python or package index: installing the newest versions."; \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'; }
	touch $@
