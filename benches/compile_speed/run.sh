#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fills the table of figures on compile speed, caching, memory and the cost of not being used, with DPC++ and NVRTC beside
# us, in one run.
#
#   benches/compile_speed/run.sh [--quick] [PART...]
#
# Parts: first following templates macros hit peak cold unused memory threads; all of them by default. --quick takes fewer
# rounds and smaller numbers: good for trying things, not for figures. Results are in build/compile_speed: figures.txt (the
# table), figures.svg (the plot), figures.json. Exits 1 if a part could not be measured, not if a figure is missed.
#
# The sides take turns, a fresh process each, so that whatever else the machine does meets all alike. The time inside the
# OpenCL driver is taken by the same layer on both sides (driver_timer.c) and shown apart.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
out=$root/build/compile_speed
bin=$out/bin
prefix=$out/prefix
dpcpp=$root/.deps/dpcpp

"$root/scripts/setup.sh" --dpcpp --nvrtc >/dev/null
mkdir -p "$bin"

echo 'building' >&2
cmake -S "$root" -B "$out/syclrtc" -DCMAKE_BUILD_TYPE=Release -DSYCLRTC_TESTS=OFF \
    -DSYCLRTC_CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$root/target}" >"$out/build.log"
cmake --build "$out/syclrtc" >>"$out/build.log" 2>&1 || { tail -n 40 "$out/build.log" >&2; exit 1; }
rm -rf "$prefix"
cmake --install "$out/syclrtc" --prefix "$prefix" >>"$out/build.log"

warnings=(-O2 -Wall -Wextra -Wpedantic -Werror)
gcc -std=c11 "${warnings[@]}" -shared -fPIC "$here/driver_timer.c" -o "$bin/libdriver_timer.so"
gcc -std=c11 "${warnings[@]}" "$here/nvrtc.c" -o "$bin/nvrtc" -ldl
gcc -std=c11 "${warnings[@]}" "$here/raw_opencl.c" -o "$bin/raw_opencl" -lOpenCL
gcc -std=c11 "${warnings[@]}" "$here/watch.c" -o "$bin/watch"
gcc -std=c11 "${warnings[@]}" "$here/spawn.c" -o "$bin/spawn"

# The same sources and flags for both libraries; DPC++'s headers are not free of warnings.
syclrtc_flags=(-I"$prefix/include" -L"$prefix/lib" '-Wl,--no-as-needed' -lsyclrtc "-Wl,-rpath,$prefix/lib")
dpcpp_flags=(-isystem "$dpcpp/include" -L"$dpcpp/lib" -lsycl "-Wl,-rpath,$dpcpp/lib")
for program in builds many; do
    g++ -std=c++17 "${warnings[@]}" "$here/$program.cpp" -o "$bin/$program.syclrtc" "${syclrtc_flags[@]}" -ldl -lpthread
    g++ -std=c++17 "${warnings[@]}" "$here/$program.cpp" -o "$bin/$program.dpcpp" "${dpcpp_flags[@]}" -ldl -lpthread
done
# Both are C++ programs, and so have the C++ library already.
g++ -std=c++17 "${warnings[@]}" "$here/empty.cpp" -o "$bin/empty" -Wl,--no-as-needed
g++ -std=c++17 "${warnings[@]}" "$here/empty.cpp" -o "$bin/empty.syclrtc" "${syclrtc_flags[@]}"

# Only the device that both sides can build for.
export OCL_ICD_VENDORS=$root/.deps/opencl-vendors/intel.icd
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/figures.py" --out "$out" --kernels "$here/kernels" --nvrtc "$root/.deps/nvrtc/libnvrtc.so.13" "$@"
