#!/usr/bin/env bash
# first_error_test.sh SCRIPTS FOLDER: what `quietly` of scripts/lib/common.sh shows of a command that fails. FOLDER is
# made anew.
set -euo pipefail
scripts="$1" folder="$2"
rm -rf "$folder"
mkdir -p "$folder"

print_and_fail() { cat "$1" && return 3; }
# shown: all that `quietly` writes, for a command that prints the standard input and fails.
shown() {
  cat >"$folder/printed"
  (
    # shellcheck source=../../scripts/lib/common.sh
    source "$scripts/lib/common.sh"
    quietly "$folder/build.log" print_and_fail "$folder/printed"
  ) 2>&1 && { echo 'quietly passed a failure over' >&2 && exit 1; }
  true
}
# expect WHAT SHOWN END: SHOWN is a line that names the log, and END.
expect() {
  local said="${2%%$'\n'*}" end="${2#*$'\n'}"
  if [[ "$said" != *": failed: print_and_fail "*"(all output: $folder/build.log)" || "$end" != "$3" ]]; then
    printf '%s: expected a line that names the log, and\n%s\nbut saw\n%s\n' "$1" "$3" "$2" >&2
    exit 1
  fi
}

# inlining NUMBER: one error of GCC 12 in a header of its own, as Eigen's AVX-512 packets set it off.
inlining() {
  cat <<END
In function '__m256d _mm512_extractf64x4_pd(__m512d, int)',
    inlined from 'void Eigen::internal::ptranspose(PacketBlock<__vector(8) double, 4>&)' at /usr/include/eigen3/Eigen/src/Core/arch/AVX512/PacketMath.h:$1:41,
    inlined from 'void Eigen::internal::gemm_pack_rhs<Scalar, Index, DataMapper, nr, 0, Conjugate, PanelMode>::operator()(Scalar*, const DataMapper&, Index, Index, Index, Index) [with Scalar = double]' at /usr/include/eigen3/Eigen/src/Core/products/GeneralBlockPanelKernel.h:2486:19,
    inlined from 'bool carbo::internal::factorize(Eigen::Ref<Eigen::Matrix<double, -1, -1> >)' at src/backend/cpu/cholesky.cpp:60:13:
/usr/lib/gcc/x86_64-linux-gnu/12/include/avx512fintrin.h:$1:10: error: '__Y' may be used uninitialized [-Werror=maybe-uninitialized]
 $1 |   return (__m256d) __builtin_ia32_extractf64x4_mask ((__v8df) __A,
      |          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
/usr/lib/gcc/x86_64-linux-gnu/12/include/avxintrin.h: In function 'bool carbo::internal::factorize(Eigen::Ref<Eigen::Matrix<double, -1, -1> >)':
/usr/lib/gcc/x86_64-linux-gnu/12/include/avxintrin.h:1210:11: note: '__Y' was declared here
 1210 |   __m256d __Y = __Y;
      |           ^~~
END
}
build_log() {
  cat <<'END'
[1/97] Building CXX object CMakeFiles/carbo.dir/src/space/axis.cpp.o
src/space/axis.cpp:10:3: warning: unused variable 'error' [-Wunused-variable]
[2/97] Building CXX object CMakeFiles/carbo.dir/src/backend/cpu/cholesky.cpp.o
FAILED: CMakeFiles/carbo.dir/src/backend/cpu/cholesky.cpp.o 
/usr/bin/c++ -Isrc -O3 -march=native -Wall -Wextra -Werror -o cholesky.cpp.o -c src/backend/cpu/cholesky.cpp
In file included from /usr/lib/gcc/x86_64-linux-gnu/12/include/immintrin.h:49,
                 from /usr/include/eigen3/Eigen/Core:22,
                 from src/backend/cpu/cholesky.cpp:3:
END
  for line in {5946..5966}; do inlining "$line"; done
  cat <<'END'
cc1plus: all warnings being treated as errors
[3/97] Building CXX object CMakeFiles/carbo.dir/src/space/pool.cpp.o
FAILED: CMakeFiles/carbo.dir/src/space/pool.cpp.o 
src/space/pool.cpp:7:1: error: a second one
ninja: build stopped: subcommand failed.
END
}
(($(build_log | wc -l) > 200)) || { echo 'the log is too short to prove anything' >&2 && exit 1; }
expect 'a compiler' "$(build_log | shown)" \
  "FAILED: CMakeFiles/carbo.dir/src/backend/cpu/cholesky.cpp.o 
/usr/lib/gcc/x86_64-linux-gnu/12/include/avx512fintrin.h:5946:10: error: '__Y' may be used uninitialized [-Werror=maybe-uninitialized]
 5946 |   return (__m256d) __builtin_ia32_extractf64x4_mask ((__v8df) __A,
      |          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~"

expect 'nvcc' "$(shown <<'END'
[1/2] Building CUDA object kernels/score.cu.o
FAILED: kernels/score.cu.o 
/usr/local/cuda/bin/nvcc -Werror=all-warnings -c kernels/score.cu
kernels/score.cu(12): error: identifier "alpha" is undefined
    return alpha;
           ^

1 error detected in the compilation of "kernels/score.cu".
ninja: build stopped: subcommand failed.
END
)" 'FAILED: kernels/score.cu.o 
kernels/score.cu(12): error: identifier "alpha" is undefined
    return alpha;
           ^'

expect 'a linker' "$(shown <<'END'
[9/9] Linking CXX executable examples/quickstart
FAILED: examples/quickstart 
: && /usr/bin/c++ -O3 main.cpp.o -o examples/quickstart libcarbo.a && :
/usr/bin/ld: main.cpp.o: in function `main':
main.cpp:(.text+0x1a): undefined reference to `carbo::minimize()'
main.cpp:(.text+0x2b): undefined reference to `carbo::maximize()'
collect2: error: ld returned 1 exit status
ninja: build stopped: subcommand failed.
END
)" "FAILED: examples/quickstart 
main.cpp:(.text+0x1a): undefined reference to \`carbo::minimize()'"

expect 'CMake' "$(shown <<'END'
-- Found Threads: TRUE
CMake Error at CMakeLists.txt:25 (message):
  Eigen 3.4 or later was not found.

  On Debian and Ubuntu: apt-get install libeigen3-dev


-- Configuring incomplete, errors occurred!
END
)" 'CMake Error at CMakeLists.txt:25 (message):
  Eigen 3.4 or later was not found.

  On Debian and Ubuntu: apt-get install libeigen3-dev'

expect 'a program that names no error' "$({ seq 100 && echo 'stopped'; } | shown)" "$(seq 82 100 && echo 'stopped')"
