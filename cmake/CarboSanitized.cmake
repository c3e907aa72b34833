# carbo_sanitized: libcarbo and its C functions once more, under the address and undefined-behaviour sanitizers and with
# assertions. Tests are compiled once and linked with either. Its levels are those that every processor of today runs.

if(NOT (CARBO_TESTS AND CARBO_SANITIZED_TESTS) OR CARBO_SANITIZE)
  set(CARBO_SANITIZED_TESTS OFF)
  return()
endif()

function(carbo_add_sanitized)
  set(CARBO_UNITY ON)
  set(CARBO_SANITIZER_OPTIONS ${CARBO_MEMORY_SANITIZERS} -O1 -g1 -UNDEBUG)
  # The same sources are compiled with them elsewhere; checks that sanitizers put in make GCC see ghosts.
  set(CARBO_WARNING_OPTIONS -w)
  list(REMOVE_ITEM CARBO_CPU_LEVELS v4)
  add_library(carbo_sanitized STATIC EXCLUDE_FROM_ALL ${CARBO_SOURCES} ${c_sources})
  carbo_compile(carbo_sanitized)
  carbo_unity(carbo_sanitized)
  target_compile_features(carbo_sanitized PUBLIC cxx_std_20)
  # Matrices pass between sanitized and other code, and Eigen would allocate them in another way under the sanitizer.
  target_compile_definitions(carbo_sanitized PRIVATE ${CARBO_C_DEFINITIONS} EIGEN_MALLOC_ALREADY_ALIGNED=1)
  target_include_directories(carbo_sanitized PRIVATE ${PROJECT_SOURCE_DIR}/include ${CARBO_PRIVATE_INCLUDES})
  target_link_libraries(carbo_sanitized PUBLIC Threads::Threads PRIVATE muparser::muparser ${CMAKE_DL_LIBS})
  set_target_properties(carbo_sanitized PROPERTIES POSITION_INDEPENDENT_CODE ON)
  carbo_levels(carbo_sanitized carbo_cpu_backend ${cpu_sources})
endfunction()
carbo_add_sanitized()
