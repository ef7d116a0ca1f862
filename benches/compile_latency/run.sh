#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Measures how long a tiny kernel takes from source text to kernel object, with syclrtc and with DPC++, in one run.
#
#   benches/compile_latency/run.sh [ROUNDS [BUILDS]]      default: 3 rounds of 1 first and 5 following builds a side
#
# The sides take turns, a fresh process each, so that whatever else the machine does meets both alike. The time inside
# the OpenCL driver is taken by the same layer on both sides (driver_timer.c) and shown apart.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
rounds=${1:-3}
builds=$((${2:-5} + 1))
out=$root/build/compile_latency
dpcpp=$root/.deps/dpcpp
prefix=$out/prefix

"$root/scripts/setup.sh" --dpcpp >/dev/null
mkdir -p "$out"

cmake -S "$root" -B "$out/syclrtc" -DCMAKE_BUILD_TYPE=Release -DSYCLRTC_TESTS=OFF -DSYCLRTC_CARGO_TARGET_DIR="$root/target" >"$out/build.log"
cmake --build "$out/syclrtc" >>"$out/build.log"
cmake --install "$out/syclrtc" --prefix "$prefix" >>"$out/build.log"

timer=$out/libdriver_timer.so
gcc -O2 -shared -fPIC -Wall -Wextra -Werror "$here/driver_timer.c" -o "$timer"
# Both programs are built by the same compiler with the same flags; DPC++'s headers are not free of warnings.
flags=(-std=c++17 -O2)
g++ "${flags[@]}" -isystem "$dpcpp/include" "$here/main.cpp" -o "$out/with_dpcpp" \
    -L"$dpcpp/lib" -lsycl -ldl -Wl,-rpath,"$dpcpp/lib"
g++ "${flags[@]}" -Wall -Wextra -I"$prefix/include" "$here/main.cpp" -o "$out/with_syclrtc" \
    -L"$prefix/lib" -lsyclrtc -ldl -Wl,-rpath,"$prefix/lib"

# Only the device that both sides can build for. No persistent cache: the texts differ from build to build, but not from
# round to round.
export OCL_ICD_VENDORS=$root/.deps/opencl-vendors/intel.icd
export OPENCL_LAYERS=$timer
export SYCL_CACHE_PERSISTENT=0
unset ONEAPI_DEVICE_SELECTOR

: >"$out/times.txt"
for ((round = 1; round <= rounds; ++round)); do
    echo "round $round of $rounds" >&2
    {
        "$out/with_syclrtc" syclrtc "$builds" "$timer"
        "$out/with_dpcpp" dpcpp "$builds" "$timer"
        "$out/with_dpcpp" dpcpp--auto-pch "$builds" "$timer" --auto-pch
    } >>"$out/times.txt"
done

python3 "$here/summarise.py" "$out/times.txt"
