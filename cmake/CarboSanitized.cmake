# carbo_sanitized: libcarbo and its C functions once more, under the address and undefined-behaviour sanitizers and with
# assertions. Tests are compiled once and linked with either. It has one level, v3 where this processor runs it: a
# second one would add its time to compile and nothing that the sanitizers see.
# carbo_thread_sanitized: the same under the thread sanitizer, for tests of many threads, at the lowest level. Models are
# libcarbo's own there, one thread at a time in each of them; preset tsan has them under the sanitizer, too.

if(NOT (CARBO_TESTS AND CARBO_SANITIZED_TESTS) OR CARBO_SANITIZE)
  set(CARBO_SANITIZED_TESTS OFF)
  return()
endif()

list(GET CARBO_CPU_LEVELS 0 lowest)
set(CARBO_SANITIZED_LEVEL ${lowest})
if("v3" IN_LIST CARBO_CPU_LEVELS)
  include(CheckCXXSourceRuns)
  check_cxx_source_runs(
    "int main() { return !(__builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\")); }" CARBO_RUNS_V3)
  if(CARBO_RUNS_V3)
    set(CARBO_SANITIZED_LEVEL v3)
  endif()
endif()

# carbo_add_sanitized(TARGET LEVEL LEFT_OUT OPTION...): with this one of the library's levels, and without the sources that
# LEFT_OUT, an expression, matches.
function(carbo_add_sanitized target level left_out)
  set(CARBO_UNITY ON)
  set(CARBO_SANITIZER_OPTIONS ${ARGN} -g1 -UNDEBUG)
  # The same sources are compiled with them elsewhere; checks that sanitizers put in make GCC see ghosts.
  set(CARBO_WARNING_OPTIONS -w)
  set(CARBO_CPU_LEVELS ${level})
  if(left_out)
    list(FILTER CARBO_SOURCES EXCLUDE REGEX "${left_out}")
  endif()
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${CARBO_SOURCES} ${c_sources})
  carbo_compile(${target})
  carbo_unity(${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  # Matrices pass between sanitized and other code, and Eigen would allocate them in another way under the sanitizer.
  target_compile_definitions(${target} PRIVATE ${CARBO_C_DEFINITIONS} EIGEN_MALLOC_ALREADY_ALIGNED=1)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${CARBO_PRIVATE_INCLUDES})
  target_link_libraries(${target} PUBLIC Threads::Threads PRIVATE muparser::muparser ${CMAKE_DL_LIBS})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  carbo_levels(${target} carbo_cpu_backend ${cpu_sources})
endfunction()
carbo_add_sanitized(carbo_sanitized ${CARBO_SANITIZED_LEVEL} "" ${CARBO_MEMORY_SANITIZERS} -O1)
carbo_add_sanitized(carbo_thread_sanitized ${lowest} "/src/(gp|cost)/" ${CARBO_THREAD_SANITIZER} -O0)
target_link_libraries(carbo_thread_sanitized PUBLIC carbo)
