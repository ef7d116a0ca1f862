#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs what building and testing syclrtc needs on Debian 12: Debian packages, and Intel's OpenCL driver for CPUs
# into .deps/ of this checkout. Does nothing, quickly, when all of it is there.
#
#   scripts/setup.sh            packages and driver; writes .deps/env.sh, which the other scripts read
#   scripts/setup.sh --dpcpp    also the DPC++ run-time wheels, which only benches/compile_speed needs
#   scripts/setup.sh --nvrtc    also NVIDIA's NVRTC, likewise; both may be given
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
deps=$root/.deps
min_rust=1.95

die() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

want_dpcpp=false
want_nvrtc=false
for argument in "$@"; do
    case $argument in
    --dpcpp) want_dpcpp=true ;;
    --nvrtc) want_nvrtc=true ;;
    *) die "unknown argument '$argument' (known: --dpcpp, --nvrtc)" ;;
    esac
done

# One line a package; the comment is who needs it.
packages=(
    clang-22 libclang-22-dev llvm-22-dev            # the compiler program
    libclang-cpp22-dev                              # likewise
    liblld-22-dev lld-22                            # its linker for native code
    zlib1g-dev libzstd-dev libxml2-dev libz3-dev    # what LLVM's static libraries need
    libffi-dev libncurses-dev                       # likewise
    g++ make cmake ninja-build pkg-config           # the C++ side and its consumers
    ocl-icd-libopencl1 opencl-headers               # the OpenCL loader
    pocl-opencl-icd                                 # a device without SPIR-V, which must be refused in good form
    doctest-dev                                     # the C++ tests
    clinfo spirv-tools shellcheck                   # checks
    ccache                                          # compiles the C++ parts of two profiles once
    python3 unzip ca-certificates                   # fetching and unpacking the wheels
)

# Word list of the packages that dpkg does not report as installed.
missing_packages() {
    local package
    for package in "${packages[@]}"; do
        # An unknown package makes dpkg-query exit 1, which means "missing" here.
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true) == installed ]] || echo "$package"
    done
}

install_packages() {
    command -v dpkg-query >/dev/null || die "this script installs Debian packages; on another system see docs/building.md"
    local missing as_root=()
    mapfile -t missing < <(missing_packages)
    ((${#missing[@]})) || return 0
    if ((EUID != 0)); then
        command -v sudo >/dev/null || die "these packages are missing, and neither root nor sudo is at hand: ${missing[*]}"
        as_root=(sudo)
    fi
    echo "setup: installing ${missing[*]}"
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
    mapfile -t missing < <(missing_packages)
    ((${#missing[@]} == 0)) || die "still missing after apt-get: ${missing[*]}"
}

check_rust() {
    command -v cargo >/dev/null || die "no cargo on the PATH; Rust $min_rust or newer is needed"
    local version
    version=$(rustc --version | cut -d' ' -f2)
    [[ $(printf '%s\n%s\n' "$min_rust" "$version" | sort -V | head -n1) == "$min_rust" ]] ||
        die "rustc $version is too old; $min_rust or newer is needed"
}

# fetch LIST INTO: downloads the wheels pinned in LIST.
fetch() {
    local python=python3
    if ! "$python" -m pip --version >/dev/null 2>&1; then
        packages=(python3-pip)
        install_packages
        python=/usr/bin/python3
    fi
    "$python" -m pip download --quiet --no-deps --only-binary=:all: --require-hashes --dest "$2" -r "$1"
}

# unpack WHEELS INTO NAME PATTERN...: unpacks those files of one wheel's lib folder, without its folders.
unpack() {
    local wheels=$1 into=$2 name=$3 patterns=()
    shift 3
    for pattern in "$@"; do
        patterns+=("*/data/lib/$pattern")
    done
    unzip -q -o -j "$wheels/$name"-*.whl "${patterns[@]}" -d "$into"
}

# up_to_date DIR LIST: whether DIR was filled from this very list. Raise `layout` when what is unpacked, or where, changes.
layout=1
stamp_of() { echo "$layout $(sha256sum <"$1")"; }
up_to_date() { [[ -f $1/.stamp && $(<"$1/.stamp") == "$(stamp_of "$2")" ]]; }

# Everything is unpacked beside the final folder and moved there whole, so that an interrupted run leaves no half of one.
install_driver() {
    local list=$root/scripts/wheels-opencl.txt target=$deps/opencl
    up_to_date "$target" "$list" && return 0
    [[ $(uname -m) == x86_64 ]] || die "Intel's OpenCL driver for CPUs exists for x86-64 only, this is $(uname -m)"
    echo "setup: fetching Intel's OpenCL driver for CPUs (270 MB)"
    local work
    work=$(mktemp -d "$deps/new.XXXXXX")
    fetch "$list" "$work/wheels"
    # The wheels hold each library two or three times, once a name; only the name that the loader asks for is kept.
    unpack "$work/wheels" "$work/tree" intel_opencl_rt \
        'libintelocl.so.2*' 'libcommon_clang.so.2*' '*.rtl' 'cllibrary*.o' 'libocl_svml_*.so' cl.cfg
    unpack "$work/wheels" "$work/tree" intel_cmplr_lib_rt libimf.so libsvml.so libirng.so libintlc.so.5
    unpack "$work/wheels" "$work/tree" tbb libtbb.so.12 libtbbmalloc.so.2
    stamp_of "$list" >"$work/tree/.stamp"
    rm -rf "$target"
    mv "$work/tree" "$target"
    rm -rf "$work"
}

install_dpcpp() {
    local list=$root/scripts/wheels-dpcpp.txt target=$deps/dpcpp
    up_to_date "$target" "$list" && return 0
    echo "setup: fetching the DPC++ run-time wheels (180 MB)"
    local work wheel
    work=$(mktemp -d "$deps/new.XXXXXX")
    fetch "$list" "$work/wheels"
    for wheel in "$work"/wheels/*.whl; do
        unzip -q -o "$wheel" '*/data/*' -d "$work/raw"
    done
    mkdir "$work/tree"
    cp -rl "$work"/raw/*.data/data/. "$work/tree/"
    stamp_of "$list" >"$work/tree/.stamp"
    rm -rf "$target"
    mv "$work/tree" "$target"
    rm -rf "$work"
}

install_nvrtc() {
    local list=$root/scripts/wheels-nvrtc.txt target=$deps/nvrtc
    up_to_date "$target" "$list" && return 0
    echo "setup: fetching NVRTC (60 MB)"
    local work
    work=$(mktemp -d "$deps/new.XXXXXX")
    fetch "$list" "$work/wheels"
    unzip -q -o -j "$work"/wheels/nvidia_cuda_nvrtc-*.whl 'nvidia/*/lib/*' '*/License.txt' -d "$work/tree"
    stamp_of "$list" >"$work/tree/.stamp"
    rm -rf "$target"
    mv "$work/tree" "$target"
    rm -rf "$work"
}

# The vendor files hold absolute paths, so they are written anew each time: the checkout may have been moved.
write_environment() {
    local drivers
    drivers=("$deps"/opencl/libintelocl.so.*)
    mkdir -p "$deps/opencl-vendors"
    rm -f "$deps"/opencl-vendors/*.icd
    echo "${drivers[0]}" >"$deps/opencl-vendors/intel.icd"
    cp /etc/OpenCL/vendors/pocl.icd "$deps/opencl-vendors/"
    cat >"$deps/env.sh" <<EOF
# Written by scripts/setup.sh. Reading it makes OpenCL's loader list the two devices that the tests expect.
export OCL_ICD_VENDORS='$deps/opencl-vendors'
EOF
}

check_devices() {
    local listing name
    listing=$(OCL_ICD_VENDORS=$deps/opencl-vendors clinfo -l) || die "clinfo failed"
    for name in 'Intel(R) OpenCL' 'Portable Computing Language'; do
        # A platform's line is followed by one line for each of its devices.
        grep -F -A1 "$name" <<<"$listing" | grep -q 'Device #0' ||
            die "no device of the platform '$name'; clinfo -l says:"$'\n'"$listing"
    done
    printf '%s\n' "$listing"
}

install_packages
check_rust
mkdir -p "$deps"
# Folders that an interrupted run left behind.
rm -rf "$deps"/new.*
install_driver
if $want_dpcpp; then
    install_dpcpp
fi
if $want_nvrtc; then
    install_nvrtc
fi
write_environment
check_devices
