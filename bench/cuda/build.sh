#!/bin/sh
# Builds what run.sh runs into build/gpu, for a machine that has a GPU and no Go: the bench, the tool and the tests. build/gpu.tgz is the
# same in one file, to carry there.
#
#   bench/cuda/build.sh
set -e
cd "$(dirname "$0")/../.."
out=build/gpu
rm -rf $out
mkdir -p $out
go() { CGO_ENABLED=0 command go "$@"; }
go build -trimpath -ldflags='-s -w' -o $out/bench ./bench/cuda
go build -trimpath -ldflags='-s -w' -o $out/tegula ./cmd/tegula
go build -trimpath -ldflags='-s -w' -o $out/examples ./examples
for package in driver/cuda internal/difftest internal/difftest/gen; do
    go test -c -trimpath -ldflags='-s -w' -o $out/$(echo $package | tr / _).test ./$package
done
# Tegula for Python needs a C compiler.
make --no-print-directory wheel && cp dist/tegula-*.whl $out || echo "no wheel: there will be no figures of Tegula in Python"
tar -czf build/gpu.tgz -C build gpu
ls -l build/gpu.tgz
