#!/usr/bin/env bash
# lint_test.sh SCRIPTS FOLDER: scripts/lint in a small repository inside FOLDER, made anew, with stand-ins for the tools:
# clang-format and clang-tidy find fault with files that hold their names.
set -euo pipefail
scripts="$1" folder="$2"
project="$folder/project"
rm -rf "$folder"
mkdir -p "$project/src" "$project/kernels" "$folder/bin" "$folder/few"
cp -r "$scripts" "$project/scripts"

stand_in() { # FILE, whose lines are read from the standard input
  { echo '#!/bin/sh' && cat; } >"$1"
  chmod +x "$1"
}
for tool in clang-format clang-tidy; do
  stand_in "$folder/bin/$tool" <<END
[ "\$1" != --version ] || { echo "Debian $tool version \${VERSION:-14}.0.6" && exit; }
for file; do case "\$file" in *.c*|*.h*) echo "$tool \$file" >>"\$CALLS" && ! grep -n '$tool' "\$file" || exit 1 ;; esac; done
[ $tool = clang-format ] || ! grep -l 'unknown words' "\$file" || { echo '1:1: error: no [clang-diagnostic-error]' && exit 1; }
[ $tool = clang-format ] || [ -z "\$BUSY" ] || while :; do :; done
END
done
stand_in "$folder/bin/cmake" <<'END'
mkdir -p build/lint
for file in src/*.cpp; do printf '{"file": "%s"}\n' "$PWD/$file"; done >build/lint/compile_commands.json
END
stand_in "$folder/bin/nproc" <<'END'
echo 1
END
stand_in "$folder/bin/apt-get" <<'END'
exit 1
END

# said STATUS [ARGUMENT...]: all that lint writes, which must end with that status, and which tools saw which files.
export CALLS="$folder/calls"
said() {
  local wanted="$1" status=0
  shift
  : >"$CALLS"
  (cd / && PATH="$folder/bin:${TOOLS:-$PATH}" "$project/scripts/lint" "$@" 2>&1) || status=$?
  cat "$CALLS"
  ((status == wanted)) || { echo "lint $*: ended with $status, not $wanted" >&2 && exit 1; }
}
expect() { # TEXT PATTERN
  grep -q -- "$2" <<<"$1" || { printf 'expected "%s" in:\n%s\n' "$2" "$1" >&2 && exit 1; }
}
expect_not() { # TEXT PATTERN
  ! grep -q -- "$2" <<<"$1" || { printf 'unexpected "%s" in:\n%s\n' "$2" "$1" >&2 && exit 1; }
}

expect "$(said 0)" '^lint: this folder is no clone of the project: layout and code are NOT CHECKED$'

export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
repository() { git -C "$project" -c init.defaultBranch=main "$@"; }
commit() { repository add src kernels && repository commit --quiet -m "$1"; }
repository init --quiet
echo build >"$project/.gitignore"
echo '#include "old.hpp"' >"$project/src/old.cpp"
echo '// old' >"$project/src/old.hpp"
echo '#include "old.hpp"' >"$project/src/user.cpp"
commit 'the first'
found="$(said 0)"
expect "$found" '^lint: the layout of 3 files is right$'
expect "$found" '^lint: no commit before this one is here to compare with: code is NOT CHECKED by clang-tidy$'

# Since the parent: the new source, and for a header its namesake; what nvcc compiles is named.
echo '// new' >"$project/src/new.cpp"
echo '// changed' >>"$project/src/old.hpp"
echo '// kernel' >"$project/kernels/kernel.cu"
commit 'the second'
found="$(said 0)"
expect "$found" '^lint: the layout of 5 files is right$'
expect "$found" '^clang-tidy src/new.cpp$'
expect "$found" '^clang-tidy src/old.cpp$'
expect_not "$found" '^clang-tidy src/user.cpp$'
expect "$found" '^lint: clang-tidy was given 2 sources of 3 files changed since .* (the first)'
expect "$found" '^lint: left out, for nvcc or in no program here: kernels/kernel.cu$'
expect "$found" '^lint: passed$'
expect "$(said 0 --all)" '^clang-tidy src/user.cpp$'
found="$(BUSY=1 said 0 --seconds 1)"
expect "$found" '^lint: left out, as clang-tidy was ended after 1 s (status [0-9]*): src/[a-z]*.cpp$'
expect "$found" '^lint: left out, its 1 s were used: src/[a-z]*.cpp$'

# Since the merge base, where the branch has an upstream.
repository branch trunk
echo '// third' >"$project/src/third.cpp"
commit 'the third'
echo '// fourth' >"$project/src/fourth.cpp"
commit 'the fourth'
expect_not "$(said 0)" '^clang-tidy src/third.cpp$'
repository branch --quiet --set-upstream-to trunk
expect "$(said 0)" '^clang-tidy src/third.cpp$'

# What is found, by either and in what is not committed yet, fails.
echo '// clang-tidy' >"$project/src/fault.cpp"
expect "$(said 1)" '^lint: FAILED$'
expect "$(said 0 "$project/src/new.cpp")" '^lint: passed$'
echo '// unknown words' >"$project/src/fault.cpp"
expect "$(said 0)" '^lint: left out, as clang-tidy cannot parse it: src/fault.cpp: 1:1: error: no'
rm "$project/src/fault.cpp"
echo '// clang-format' >>"$project/kernels/kernel.cu"
found="$(said 1)"
expect "$found" '^clang-format kernels/kernel.cu$'
expect "$found" '^lint: FAILED$'

# Tools of another version, and tools that are not there: nothing passes in silence.
found="$(VERSION=19 said 0)"
expect "$found" '^lint: clang-format is of version 19, not 14: what it finds is NOT CHECKED$'
expect "$found" '^lint: clang-tidy is of version 19, not 14: what it finds is NOT CHECKED$'
for tool in bash env sh git grep awk sed sort cut cat mkdir realpath dirname basename xargs; do
  ln -s "$(command -v "$tool")" "$folder/few/$tool"
done
rm "$folder/bin/clang-format" "$folder/bin/clang-tidy"
expect "$(TOOLS="$folder/few" said 0)" '^lint: clang-format is missing and could not be installed: what it finds is NOT CHECKED$'

expect "$(said 1 --seconds)" '--seconds needs a whole number above 0'
expect "$(said 1 --everything)" "'--everything' is not known"
