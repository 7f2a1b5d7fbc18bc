# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What quickstart and test share: installing what is missing, and finding out what there is. To be sourced.

say() { printf '\n== %s\n' "$*"; }

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    command -v sudo >/dev/null || fail "not root and no sudo; as root, run: $*"
    sudo "$@"
  fi
}

has_package() {
  dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null | grep -q '^ii'
}

can_install() {
  LC_ALL=C apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [0-9]'
}

lists_are_read=no
read_package_lists() {
  [ $lists_are_read = no ] || return 0
  command -v apt-get >/dev/null || fail "this script installs with apt-get, which this system lacks." \
    "Install a C++17 compiler, CMake 3.25, yaml-cpp, CLI11 and Kokkos, and build with CMake."
  say "Reading the package lists"
  as_root apt-get update -qq
  lists_are_read=yes
}

# install_missing PACKAGE...: Debian packages; those that are there cost nothing.
install_missing() {
  local package missing=()
  for package in "$@"; do
    has_package "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  read_package_lists
  say "Installing ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null
}

# install_where_offered PACKAGE...: those that this system's lists have; what needs the others is skipped.
install_where_offered() {
  local package offered=()
  for package in "$@"; do
    has_package "$package" && continue
    read_package_lists
    if can_install "$package"; then
      offered+=("$package")
    else
      say "Not offered by this system: $package"
    fi
  done
  [ ${#offered[@]} -eq 0 ] || install_missing "${offered[@]}"
}

# install_build_tools PACKAGE...: a compiler, CMake, yaml-cpp, Kokkos, and the packages named. Programs and a
# Kokkos that are there already are taken, wherever they come from.
install_build_tools() {
  local packages=("$@" libyaml-cpp-dev)
  command -v g++ >/dev/null || packages+=(g++)
  command -v cmake >/dev/null || packages+=(cmake)
  command -v make >/dev/null || packages+=(make)
  if [ -z "${Kokkos_ROOT:-}${Kokkos_DIR:-}" ] &&
    ! has_package libkokkos-dev && ! has_package libtrilinos-kokkos-dev; then
    read_package_lists
    if can_install libkokkos-dev; then
      packages+=(libkokkos-dev)
    else
      packages+=(libtrilinos-kokkos-dev)
    fi
  fi
  install_missing "${packages[@]}"
}

# Toolkits are often installed without being on PATH.
find_nvcc() {
  command -v nvcc >/dev/null && return 0
  [ -x /usr/local/cuda/bin/nvcc ] || return 1
  export PATH="/usr/local/cuda/bin:$PATH"
}

has_gpu() {
  command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU'
}

# cuda_architectures DEFAULT: CMake arguments; what the user has set stands, then the GPU at hand, then DEFAULT.
cuda_architectures() {
  if [ -n "${CMAKE_CUDA_ARCHITECTURES:-}" ]; then
    echo "-DCMAKE_CUDA_ARCHITECTURES=$CMAKE_CUDA_ARCHITECTURES"
  elif [ -z "${CUDAARCHS:-}" ]; then
    has_gpu && echo "-DCMAKE_CUDA_ARCHITECTURES=native" || echo "-DCMAKE_CUDA_ARCHITECTURES=$1"
  fi
}
