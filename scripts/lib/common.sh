# Shared by the scripts of this folder: where the project is, and how missing packages are installed.
# shellcheck shell=bash

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
jobs="$(nproc 2>/dev/null || echo 2)"

say() { printf '%s\n' "$*"; }
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# A probe a package: succeeds where what the package brings is already here, whoever installed it.
have_package() {
  case "$1" in
    g++) have_command "${CXX:-g++}" ;;
    cmake) have_command cmake ;;
    ninja-build) have_command ninja ;;
    xz-utils) have_command xz ;;
    python3) have_command python3 ;;
    pkg-config) have_command pkg-config ;;
    libeigen3-dev) have_file include/eigen3/Eigen/Core ;;
    libmuparser-dev) have_file include/muParser.h ;;
    libgtest-dev) have_file include/gtest/gtest.h ;;
    libsqlite3-dev) have_file include/sqlite3.h ;;
    sqlite3) have_command sqlite3 ;;
    tmux) have_command tmux ;;
    libcli11-dev) have_file include/CLI/CLI.hpp ;;
    libtomlplusplus-dev) have_file include/toml++/toml.h ;;
    libfmt-dev) have_file include/fmt/format.h ;;
    nlohmann-json3-dev) have_file include/nlohmann/json.hpp ;;
    libdlpack-dev) have_file include/dlpack/dlpack.h ;;
    libcpp-httplib-dev) have_file include/httplib.h ;;
    chromium) have_command chromium || have_command chromium-browser || have_command google-chrome ;;
    python3-dev) [[ -e "$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null)/Python.h" ]] ;;
    python3-venv) python3 -c 'import ensurepip' >/dev/null 2>&1 ;;
    doxygen) have_command doxygen ;;
    clang-format) have_command clang-format ;;
    clang-tidy) have_command clang-tidy ;;
    g++-aarch64-linux-gnu) have_command aarch64-linux-gnu-g++ ;;
    qemu-user) have_command qemu-aarch64 && have_command qemu-x86_64 ;;
    *) fail "no probe for the package $1" ;;
  esac
}

have_command() { command -v "$1" >/dev/null 2>&1; }
have_file() { [[ -e "/usr/$1" || -e "/usr/local/$1" ]]; }

# need_packages PACKAGE...: installs with apt those that are missing; quick where none is.
need_packages() {
  local package missing=()
  for package in "$@"; do
    have_package "$package" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  if ! command -v apt-get >/dev/null 2>&1; then
    fail "missing: ${missing[*]} (Debian's names), and there is no apt here to install them.
Install with your own package manager: a C++20 compiler (GCC 12 or clang 14, or later), CMake 3.25 or later, Ninja, Eigen 3.4,
muParser 2.3, SQLite 3.35, CLI11 2.1, toml++ 3, fmt 8, GoogleTest, nlohmann-json 3.10, the header of DLPack,
Python 3, pkg-config, qemu-user and xz; then call this script again."
  fi
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null 2>&1 ||
      fail "missing: ${missing[*]}. Neither root nor sudo here; as root: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "Installing with apt: ${missing[*]}"
  apt_install "${missing[@]}" || fail "apt-get could not install ${missing[*]}; its messages are above"
  for package in "${missing[@]}"; do
    have_package "$package" || fail "apt-get installed $package, but what it brings was not found"
  done
}

# The package lists may be missing or too old, so they are fetched before the first try fails for good.
apt_install() {
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq)
  local install=("${apt[@]}" install --yes --no-install-recommends "$@")
  "${install[@]}" >/dev/null 2>&1 || { "${apt[@]}" update >/dev/null && "${install[@]}" >/dev/null; }
}

# quietly LOG COMMAND...: keeps the output in LOG; where the command fails, the first error in it is what is shown last.
quietly() {
  local log="$1"
  shift
  mkdir -p "$(dirname "$log")"
  if ! "$@" >"$log" 2>&1; then
    printf '%s: failed: %s (all output: %s)\n' "$(basename "$0")" "$*" "$log" >&2
    first_error "$log" >&2
    exit 1
  fi
}

# first_error LOG: of a build by ninja, the target that failed first and its first error with the source quoted below
# it; of anything else, the first error. Where no line looks like one, the end of what was written.
first_error() {
  local step error
  step="$(awk '/^FAILED: / && seen++ || seen && /^(\[[0-9]+\/[0-9]+\] |ninja: )/ { exit } seen' "$1")"
  grep '^FAILED: ' <<<"$step" || step="$(cat "$1")"
  # As compilers, linkers, CMake and Python write it.
  local pattern='(^|[ :])(fatal )?error: |undefined reference|multiple definition|ld: cannot find|^CMake Error|^[A-Za-z.]+Error: '
  error="$(awk -v pattern="$pattern" '!count && $0 ~ pattern { count = 1; print; next }
                                      count && (/^[^ ]/ || ++count > 12) { exit }
                                      count' <<<"$step")"
  printf '%s\n' "${error:-$(tail -n 20 <<<"$step")}"
}

# python_environment FOLDER REQUIREMENTS...: a virtual environment in FOLDER with what the files list, from PyPI; nothing
# is done where these were installed before. Its status is 1 where they could not be, and FOLDER.log says why.
python_environment() {
  local folder="$1" list=() file stamp
  shift
  for file in "$@"; do list+=(--requirement "$file"); done
  stamp="$(cat "$@")"
  [[ "$(cat "$folder/complete" 2>/dev/null)" != "$stamp" ]] || return 0
  mkdir -p "$(dirname "$folder")"
  python3 -m venv --clear "$folder" >"$folder.log" 2>&1 || return 1
  "$folder/bin/python" -m pip install --disable-pip-version-check --no-compile --retries 2 "${list[@]}" \
    >>"$folder.log" 2>&1 || return 1
  printf '%s\n' "$stamp" >"$folder/complete"
}

# configure_preset PRESET: prints what the build tree will hold.
configure_preset() {
  local log="$root/build/$1-configure.log"
  (cd "$root" && quietly "$log" cmake --preset "$1") || exit 1
  sed -n '/^-- Carbo /,/^--   Sanitizers/s/^-- //p' "$log"
}

# build_preset PRESET [TARGET...]
build_preset() {
  local preset="$1"
  shift
  local targets=()
  (($#)) && targets=(--target "$@")
  (cd "$root" && quietly "$root/build/$preset-build.log" cmake --build --preset "$preset" -j "$jobs" "${targets[@]}") ||
    exit 1
}

# test_preset PRESET: shows what failed, the time of each label and what did not run, and leaves the count in test_counts.
# Its status is 0 only where all tests passed.
test_preset() {
  local log="$root/build/$1-test.log" verdict=passed
  if ! (cd "$root" && ctest --preset "$1" -j "$jobs" --output-on-failure) >"$log" 2>&1; then
    verdict=FAILED
    grep -v ' Passed ' "$log" | grep -v '^ *Start ' | tail -n 200 || true
  fi
  test_counts="$verdict, $(grep -E 'tests passed|No tests were found' "$log" | tail -n 1)"
  sed -n '/^Label Time Summary/,/^$/p' "$log"
  sed -n '/^The following tests did not run/,/^$/p' "$log"
  [[ "$verdict" == passed ]]
}
