#!/bin/sh
# Builds libtegula_sycl.so against a SYCL runtime: build.sh SYCL_ROOT OUT RPATH, where RPATH is where it looks for the runtime's libraries.
set -e
root=$1 out=$2 rpath=$3
if [ ! -f "$root/include/sycl/sycl.hpp" ]; then
  echo "xpu-shim: there is no include/sycl/sycl.hpp in SYCL_ROOT=$root" >&2
  exit 1
fi
set -x
${CXX:-g++} -std=c++17 -O2 -Wall -Wextra -fPIC -shared -s -ffile-prefix-map="$(dirname "$0")/"= -DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING \
  -isystem "$root/include" -isystem "$root/include/sycl" "$(dirname "$0")/tegula_sycl.cpp" -o "$out" \
  -L "$root/lib" -Wl,--disable-new-dtags,-rpath,"$rpath" -lsycl -lOpenCL -ldl
