#!/bin/sh
# Runs, on a machine with a GPU, the tests that need one and the side-by-side bench, which build.sh has built. What is written to OUT is
# cuda.json, cuda.md and the logs; plot.py draws the former. The tests end within 6 minutes, the bench within 7.
#
#   bench/cuda/run.sh OUT [tests|bench]
out=${1:?usage: bench/cuda/run.sh OUT [tests|bench]}
what=${2:-all}
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
mkdir -p "$out"
[ -d build/gpu ] || tar -xzf build/gpu.tgz -C build || exit 1
if ls build/gpu/*.whl >/dev/null 2>&1; then
    python3 -m pip install -q --no-index --no-deps --upgrade --target build/gpu/site build/gpu/*.whl && export PYTHONPATH=$root/build/gpu/site
fi
status=0
# Compilations are timed: neither Tegula nor the driver may have kept anything.
export TEGULA_CACHE=off CUDA_CACHE_DISABLE=1

# test PACKAGE ARGUMENT...: runs a package's tests where they belong, and shows the end of what they say.
test_package() {
    package=$1
    shift
    log=$out/$(echo "$package" | tr / _).log
    echo "== $package"
    (cd "$package" && timeout 240 "$root/build/gpu/$(echo "$package" | tr / _).test" -test.run CUDA -test.v "$@") >"$log" 2>&1 || status=1
    grep -E '^ *--- FAIL|_test.go:[0-9]+: +[0-9]+ (cases|are)|^(PASS|FAIL|ok|Benchmark)' "$log" | head -60
    echo "passed $(grep -cE '^ *--- PASS' "$log"), failed $(grep -cE '^ *--- FAIL' "$log"), skipped $(grep -cE '^ *--- SKIP' "$log")"
}

if [ "$what" != bench ]; then
    build/gpu/tegula devices || status=1
    test_package driver/cuda -test.bench CUDA -test.benchmem
    test_package internal/difftest
    test_package internal/difftest/gen -test.skip CUDAMLIR # with Triton installed that would compile all of it by Triton, too
    echo "== examples"
    build/gpu/examples -target cuda || status=1
    for example in vector_add softmax layer_norm dropout matmul attention; do
        # The line of the file's head that runs it, on the GPU.
        command=$(sed -n '/^ *tegula run/,/"""/p' examples/$example.py | sed '/"""/d' | sed -e ':a' -e '/\\$/N; s/\\\n//; ta')
        echo "== $example"
        PATH=$root/build/gpu:$PATH sh -c "$command --target cuda" 2>&1 | cut -c1-160 | tail -3
    done
fi
if [ "$what" != tests ]; then
    echo "== bench"
    timeout 420 python3 bench/cuda/compare.py "$out" || status=1
fi
exit $status
