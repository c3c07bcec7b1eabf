#!/bin/sh
# Builds what compare.py runs into build/xpu: the bench, the same kernel submitted by hand, and the wheel. It needs a SYCL runtime.
#
#   bench/xpu/build.sh SYCL_ROOT
set -e
sycl=$(realpath "${1:?usage: bench/xpu/build.sh SYCL_ROOT}")
cd "$(dirname "$0")/../.."
out=build/xpu
mkdir -p $out
echo "$sycl" > $out/sycl
CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o $out/bench ./bench/xpu
for what in raw "libraw.so -fPIC -shared"; do
    set -- $what
    file=$1
    shift
    ${CXX:-g++} -std=c++17 -O2 -DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING -isystem "$sycl/include" -isystem "$sycl/include/sycl" "$@" bench/xpu/raw/raw.cpp \
        -o $out/$file -L "$sycl/lib" -Wl,--disable-new-dtags,-rpath,"$sycl/lib" -lsycl -lOpenCL
done
make --no-print-directory xpu-shim SYCL_ROOT="$sycl"
rm -rf $out/site
make --no-print-directory wheel
python3 -m zipfile -e dist/tegula-*.whl $out/site
