# carbo_sanitized: libcarbo and its C functions once more, under the address and undefined-behaviour sanitizers and with
# assertions. Tests are compiled once and linked with either. Its levels are those that every processor of today runs.
# carbo_thread_sanitized: the same under the thread sanitizer, for tests of many threads.

if(NOT (CARBO_TESTS AND CARBO_SANITIZED_TESTS) OR CARBO_SANITIZE)
  set(CARBO_SANITIZED_TESTS OFF)
  return()
endif()

# carbo_add_sanitized(TARGET LEVELS OPTION...): of the library's levels those that LEVELS, an expression, matches.
function(carbo_add_sanitized target levels)
  set(CARBO_UNITY ON)
  set(CARBO_SANITIZER_OPTIONS ${ARGN} -g1 -UNDEBUG)
  # The same sources are compiled with them elsewhere; checks that sanitizers put in make GCC see ghosts.
  set(CARBO_WARNING_OPTIONS -w)
  list(FILTER CARBO_CPU_LEVELS INCLUDE REGEX "${levels}")
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
carbo_add_sanitized(carbo_sanitized "v2|v3|generic" ${CARBO_MEMORY_SANITIZERS} -O1)
carbo_add_sanitized(carbo_thread_sanitized "v2|generic" ${CARBO_THREAD_SANITIZER} -O0)
