# make test is the test command; make test-oracles adds the judges that weigh more than 100 MB, and CPython's at length.

GO      ?= go
PYTHON  ?= python3
# A limit against hanging: ten minutes, which is Go's, are not much for the longest tests on a slow and busy machine.
GOTEST   = $(GO) test -timeout 1h
BUILD   := build
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

# The judges' versions: what they say is compared bit by bit.
NUMPY  := 2.4.6
TORCH  := 2.15.0
TRITON := 3.9.0
# The version of NVIDIA's compiler for CUDA C++.
CUDA := 13.5
# The SYCL runtime's version.
SYCL := 2026.2
# A public package of kernels, whose launches are replayed.
LIGER  := 0.8.5
# Further packages of kernels, and what they import.
PUBLIC := fla-core==0.6.0 conch-triton-kernels==1.3 flag_gems==5.0.2 unsloth==2026.10.9 einops==0.8.2 sqlalchemy==2.1.9 pyyaml==6.0.4

# The size that the whole tool may have, in bytes.
MAX_BINARY := 20971520

.PHONY: all build wheel test lint fmt-check unit race size examples python test-oracles oracles nvcc sycl xpu-shim bench fuzz clean

all: build

build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o $(BUILD)/tegula ./cmd/tegula

# The Python package; it needs a C compiler and the headers of $(PYTHON). With SYCL_ROOT=DIR it has the library for SYCL devices in it, too.
wheel:
	GO=$(GO) $(PYTHON) python/wheel.py $(if $(filter command environment,$(origin SYCL_ROOT)),--sycl $(SYCL_ROOT))

test: unit race size examples python lint

lint: fmt-check
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

fmt-check:
	@out=$$(find . -path ./$(BUILD) -prune -o -name '*.go' -print | xargs gofmt -l) || exit 1; \
	if [ -n "$$out" ]; then echo "not gofmt'ed:"; echo "$$out"; exit 1; fi

# NumPy for the tests that compare with it.
$(BUILD)/venv/.ready:
	$(PYTHON) -m venv $(BUILD)/venv
	$(BUILD)/venv/bin/pip install --quiet --disable-pip-version-check numpy==$(NUMPY)
	touch $@

unit:
	@if $(MAKE) --no-print-directory $(BUILD)/venv/.ready; then python=$(abspath $(BUILD)/venv/bin/python); \
	else python=; echo "unit: no Python with NumPy, so the tests that need it are skipped"; fi; \
	set -x; TEGULA_TEST_PYTHON=$$python $(GOTEST) ./...

# The packages that run goroutines, under the race detector (it needs cgo; where there is no C compiler it is skipped).
RACED := . ./internal/backend/cpu ./internal/backend/cpu/native ./internal/launch ./internal/compiler ./internal/module ./internal/cache ./driver/...
race:
	@if [ "$$($(GO) env CGO_ENABLED)" = 1 ] && command -v $$($(GO) env CC) >/dev/null; then \
	  $(GOTEST) -race -short $(RACED); \
	else echo "race: skipped, the race detector needs a C compiler"; fi

size: build
	@n=$$(stat -c %s $(BUILD)/tegula); echo "binary: $$n bytes"; \
	if [ $$n -gt $(MAX_BINARY) ]; then echo "larger than $(MAX_BINARY) bytes"; exit 1; fi

examples: build
	$(GO) run ./examples

# The wheel as pip unpacks it, and the Python tests with it.
PYTHON_TESTS := -m unittest discover -s python/tests
python:
	@if ! $(MAKE) --no-print-directory $(BUILD)/venv/.ready; then echo "python: skipped, there is no Python with NumPy"; \
	elif ! command -v $$($(GO) env CC) >/dev/null || ! $(PYTHON) -c 'import sysconfig as s, os; exit(not os.path.exists(s.get_path("include") + "/Python.h"))'; then \
	  echo "python: skipped, the wheel needs a C compiler and the headers of Python"; \
	else set -ex; $(MAKE) --no-print-directory $(BUILD)/wheel; PYTHONPATH=$(BUILD)/wheel $(BUILD)/venv/bin/python $(PYTHON_TESTS); fi

$(BUILD)/wheel: FORCE
	$(MAKE) --no-print-directory wheel
	rm -rf $@
	$(PYTHON) -m zipfile -e dist/tegula-*.whl $@
FORCE:

# Torch and Triton, about 5 GB.
$(BUILD)/venv-oracles/.ready:
	$(PYTHON) -m venv $(BUILD)/venv-oracles
	$(BUILD)/venv-oracles/bin/pip install --quiet --disable-pip-version-check numpy==$(NUMPY) torch==$(TORCH) triton==$(TRITON) packaging
	$(BUILD)/venv-oracles/bin/pip install --quiet --disable-pip-version-check --no-deps liger-kernel==$(LIGER)
	touch $@

$(BUILD)/public/.ready: $(BUILD)/venv-oracles/.ready
	$(BUILD)/venv-oracles/bin/pip install --quiet --disable-pip-version-check --no-deps --upgrade --target $(BUILD)/public $(PUBLIC)
	touch $@

# NVIDIA's compiler for CUDA C++, 350 MB, without CUDA's toolkit.
nvcc: $(BUILD)/nvcc/.ready
	@echo $(abspath $(BUILD)/nvcc/nvidia/cu13/bin/nvcc)

$(BUILD)/nvcc/.ready:
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --upgrade --target $(BUILD)/nvcc $(foreach p,nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-crt nvidia-nvvm,$p==$(CUDA).*) nvidia-cuda-cccl
	touch $@

# Intel's SYCL runtime with an OpenCL device for processors, about 1.7 GB.
sycl: $(BUILD)/venv-sycl/.ready

$(BUILD)/venv-sycl/.ready:
	$(PYTHON) -m venv $(BUILD)/venv-sycl
	$(BUILD)/venv-sycl/bin/pip install --quiet --disable-pip-version-check $(foreach p,intel-sycl-rt intel-opencl-rt intel-cmplr-lib-ur dpcpp-cpp-rt,$p==$(SYCL).*)
	touch $@

oracles: $(BUILD)/venv-oracles/.ready $(BUILD)/public/.ready $(BUILD)/venv-sycl/.ready $(BUILD)/nvcc/.ready

test-oracles: oracles
	TEGULA_ORACLE_PYTHON=$(abspath $(BUILD)/venv-oracles/bin/python) TEGULA_NVCC=$(abspath $(BUILD)/nvcc/nvidia/cu13/bin/nvcc) \
	  $(GOTEST) -tags oracle -count=1 ./internal/difftest/... ./internal/backend/cuda ./internal/backend/cudacpp ./internal/sema/ ./cmd/tegula
	$(GOTEST) -count=1 ./internal/syntax -stdlib=all -mutants=20000
	$(GOTEST) -count=1 ./internal/pyval -thorough
	$(MAKE) --no-print-directory $(BUILD)/wheel
	PYTHONPATH=$(BUILD)/wheel $(BUILD)/venv-oracles/bin/python $(PYTHON_TESTS)
	for t in python/tests/public/test_*.py; do \
	  PYTHONPATH=$(BUILD)/wheel:$(BUILD)/public $(BUILD)/venv-oracles/bin/python -W ignore $$t || exit 1; done
	PYTHONPATH=$(BUILD)/wheel $(BUILD)/venv-oracles/bin/python examples/python/with_torch.py
	PYTHONPATH=$(BUILD)/wheel $(BUILD)/venv-oracles/bin/python examples/python/autograd.py
	$(MAKE) --no-print-directory xpu-shim SYCL_ROOT=$(abspath $(BUILD)/venv-sycl)
	TEGULA_XPU_SHIM=$(abspath $(BUILD)/libtegula_sycl.so) OCL_ICD_FILENAMES=$(abspath $(BUILD)/venv-sycl/lib/libintelocl.so) \
	  sh -c '$(GOTEST) -count=1 ./driver/xpu && TEGULA_XPU_BUILD=sycl $(GOTEST) -count=1 ./driver/xpu && TEGULA_XPU_BUILD=sycl $(GO) run ./examples -target xpu && $(GOTEST) -count=1 . -run TestContract && $(GOTEST) -count=1 ./internal/difftest ./internal/difftest/gen -run TestXPU && \
	  $(GOTEST) -count=1 ./internal/difftest/gen -run TestXPU -lanes 16 -every 5 && $(GO) run ./examples -target xpu && \
	  PYTHONPATH=$(BUILD)/wheel $(BUILD)/venv-oracles/bin/python -m unittest discover -s python/tests -p test_xpu.py'

# The library that driver/xpu loads, against the SYCL runtime in SYCL_ROOT. Libraries there are found without LD_LIBRARY_PATH.
SYCL_ROOT ?= $(BUILD)/venv-sycl
xpu-shim:
	@mkdir -p $(BUILD)
	CXX='$(CXX)' driver/xpu/shim/build.sh $(SYCL_ROOT) $(BUILD)/libtegula_sycl.so $(abspath $(SYCL_ROOT)/lib)

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./bench ./internal/...

fuzz:
	scripts/fuzz.sh 30s

clean:
	rm -rf $(BUILD) dist
