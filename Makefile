# One command per job; each sets up the virtual environment it needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
NATIVE := CMakeLists.txt pyproject.toml $(wildcard cpp/core/*.?pp cpp/core/*/*.?pp cpp/bindings/*.?pp)
CPP := $(wildcard cpp/core/*.?pp cpp/core/*/*.?pp cpp/bindings/*.?pp tests/native/*.cpp)

.PHONY: demo test oldest faults lint tidy format stub bench sanitize arm docs clean

# The package, editable, with the compiled core beside it.
$(VENV)/installed: $(NATIVE)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade "pip>=25.1"
	$(PIP) --group build
	$(PIP) --no-build-isolation -Cbuild-dir=build/$(notdir $(VENV)) --editable ".[plot,cli]"
	touch $@

# One stamp per group of development dependencies.
$(VENV)/group-%: $(VENV)/installed
	$(PIP) --group $*
	touch $@

demo: $(VENV)/installed
	$(BIN)/silvan demo

test: $(VENV)/group-test
	$(BIN)/python -m pytest -n 2 --dist worksteal

# The tests with the oldest versions of the packages that silvan needs.
oldest:
	PIP_CONSTRAINT=.ci/oldest.txt $(MAKE) VENV=.venv-oldest test

# Injected faults, fuzzed forests and more of scikit-learn's own tests, beyond the quick ones among the tests.
faults: $(VENV)/group-test
	$(BIN)/python -m pytest -n 2 --dist worksteal -m faults tests/faults tests/drop_in

lint: $(VENV)/group-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	@$(BIN)/clang-format --dry-run --Werror $(CPP)

# Faults that compilers do not warn of; the core needs no headers but its own, the bindings those of Python and nanobind.
TIDY = xargs -P 2 -I{} $(BIN)/clang-tidy --quiet {} -- -std=c++20 -Icpp
tidy: $(VENV)/group-lint
	@ls cpp/core/*.cpp cpp/core/*/*.cpp | $(TIDY)
	@ls cpp/bindings/*.cpp | $(TIDY) -isystem "$$($(BIN)/python -m nanobind --include_dir)" \
	-isystem "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("include"))')"

format: $(VENV)/group-lint
	$(BIN)/ruff format .
	@$(BIN)/clang-format -i $(CPP)

# The types of the extension, as its bindings tell them.
stub: $(VENV)/installed
	$(BIN)/python -m nanobind.stubgen -q -m silvan._core -o src/silvan/_core.pyi

bench: $(VENV)/group-test
	$(BIN)/python -m benchmarks.peers
	$(BIN)/python -m benchmarks.speed --output docs/results/speed.md

# The program that drives the core without Python; build/driver-threads checks the accesses of its threads.
DRIVER := -DSILVAN_BINDINGS=OFF -DSILVAN_DRIVER=ON
build/driver/drive_core: $(NATIVE) tests/native/drive_core.cpp $(VENV)/installed
	$(BIN)/cmake $(DRIVER) -S . -B build/driver
	$(BIN)/cmake --build build/driver --parallel 2
build/driver-threads/drive_core: $(NATIVE) tests/native/drive_core.cpp $(VENV)/installed
	$(BIN)/cmake $(DRIVER) -DSILVAN_SANITIZE_THREADS=ON -S . -B build/driver-threads
	$(BIN)/cmake --build build/driver-threads --parallel 2

# The native tests with an extension that checks addresses and undefined behaviour, and the core by itself with
# accesses of threads checked: its forests must be those of one thread without checks.
sanitize: build/driver/drive_core build/driver-threads/drive_core
	build/driver/drive_core --threads 1 > build/driver/digests.txt
	TSAN_OPTIONS=halt_on_error=1 build/driver-threads/drive_core --threads 4 | diff build/driver/digests.txt -
	SKBUILD_CMAKE_DEFINE=SILVAN_SANITIZE=ON $(MAKE) VENV=.venv-sanitize .venv-sanitize/group-test
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
	.venv-sanitize/bin/python -m pytest -q -n 2 tests/core tests/projections tests/files/test_damage.py \
	tests/test_reference.py tests/forests/test_categories.py tests/unsupervised/test_gaussian_reference.py \
	tests/explanations/test_shapley.py

# The core for 64-bit ARM, compiled here and run under QEMU: its forests must be those of this processor, whichever
# of its kernels grow them. Debian's packages g++-aarch64-linux-gnu and qemu-user have what it needs.
ARM := aarch64-linux-gnu
build/driver-arm/drive_core: $(NATIVE) tests/native/drive_core.cpp $(VENV)/installed
	$(BIN)/cmake $(DRIVER) -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
	-DCMAKE_CXX_COMPILER=$(ARM)-g++ -S . -B build/driver-arm
	$(BIN)/cmake --build build/driver-arm --parallel 2
arm: build/driver/drive_core build/driver-arm/drive_core
	build/driver/drive_core --kernels baseline > build/driver/digests.txt
	build/driver/drive_core | diff build/driver/digests.txt -
	qemu-aarch64 -L /usr/$(ARM) build/driver-arm/drive_core | diff build/driver/digests.txt -

# The code of the pages runs first, that of the examples while the pages are built.
docs: $(VENV)/group-test $(VENV)/group-docs
	$(BIN)/python -m pytest -q -n 2 --dist worksteal docs src tests/app/test_pages.py tests/test_documentation.py
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

clean:
	rm -rf build $(VENV) .venv-oldest .venv-sanitize docs/_build docs/gallery docs/api/generated demo-output
