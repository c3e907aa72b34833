# Code whose speed is the vector unit's is compiled from one source for several levels of x86-64, all of which are part
# of one library; the best level that the processor can run is taken at run time (src/backend/cpu_level.hpp). A level's
# objects are joined into one, in which everything but its entry is local: Eigen and the standard library leave inline
# functions in every object, and the linker would take the first that it meets, compiled for whatever processor.

set(levels generic)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF"
   AND CMAKE_OBJCOPY)
  set(levels v2 v3 v4)
endif()
set(CARBO_CPU_LEVELS ${levels} CACHE STRING "Levels that the CPU backend is compiled for: v2, v3, v4, or generic")
if(NOT CARBO_CPU_LEVELS STREQUAL "generic")
  foreach(level IN LISTS CARBO_CPU_LEVELS)
    if(NOT level IN_LIST levels)
      list(JOIN levels ", " known)
      message(FATAL_ERROR "CARBO_CPU_LEVELS names '${level}'; for ${CMAKE_SYSTEM_PROCESSOR} there are ${known}")
    endif()
  endforeach()
  if(NOT "v2" IN_LIST CARBO_CPU_LEVELS)
    message(FATAL_ERROR "CARBO_CPU_LEVELS is '${CARBO_CPU_LEVELS}'; v2 must be among them, for processors that can "
                        "run nothing else")
  endif()
  list(SORT CARBO_CPU_LEVELS)
  list(REMOVE_DUPLICATES CARBO_CPU_LEVELS)
endif()
option(CARBO_LEVELS_UNITY "Compile the sources of a level in two pieces" ON)

# Without a cache's size the sums of Eigen's products are blocked alike on every machine: one level, the same bits.
set(CARBO_EIGEN_DEFINITIONS EIGEN_DONT_PARALLELIZE EIGEN_NO_CPUID EIGEN_DEFAULT_L1_CACHE_SIZE=32768
                            EIGEN_DEFAULT_L2_CACHE_SIZE=524288 EIGEN_DEFAULT_L3_CACHE_SIZE=2097152)

# carbo_levels(TARGET ENTRY SOURCE...): compiles the sources for every level and makes them part of the target. They
# define one function with C linkage, named CARBO_LEVEL_ENTRY, which is ENTRY_<level> in the program.
function(carbo_levels target entry)
  # cpu_level_list.hpp: X(v2) X(v3) X(v4).
  set(includes ${CMAKE_CURRENT_BINARY_DIR}/${target}_levels)
  list(TRANSFORM CARBO_CPU_LEVELS REPLACE "(.+)" "X(\\1)" OUTPUT_VARIABLE list)
  list(JOIN list " " list)
  file(CONFIGURE OUTPUT ${includes}/cpu_level_list.hpp
       CONTENT "#pragma once\n\n/// The levels of this build, ascending.\n#define CARBO_CPU_LEVELS(X) ${list}\n" @ONLY)
  target_include_directories(${target} PRIVATE ${includes})
  set(folder ${CMAKE_CURRENT_BINARY_DIR})
  if(CMAKE_CONFIGURATION_TYPES) # "Ninja Multi-Config"
    string(APPEND folder /$<CONFIG>)
  endif()
  foreach(level IN LISTS CARBO_CPU_LEVELS)
    set(objects ${target}_${level})
    add_library(${objects} OBJECT ${ARGN})
    carbo_compile(${objects})
    # In two pieces, one a core of a small machine: most of the time goes into headers.
    list(LENGTH ARGN sources)
    math(EXPR half "(${sources} + 1) / 2")
    set_target_properties(${objects} PROPERTIES UNITY_BUILD ${CARBO_LEVELS_UNITY} UNITY_BUILD_BATCH_SIZE ${half})
    target_compile_features(${objects} PRIVATE cxx_std_20)
    target_include_directories(${objects} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    target_compile_definitions(${objects} PRIVATE CARBO_LEVEL_ENTRY=${entry}_${level})
    set_target_properties(${objects} PROPERTIES POSITION_INDEPENDENT_CODE ON INTERPROCEDURAL_OPTIMIZATION OFF)
    if(level STREQUAL "generic")
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
      continue()
    endif()
    # Unique symbols would stay global, and one level's be taken for another's.
    target_compile_options(${objects} PRIVATE -march=x86-64-${level} -fno-lto
                                              $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
    set(joined ${folder}/${objects}.o)
    # Groups are dissolved: by their names a linker would take a function of one level for another's.
    add_custom_command(
      OUTPUT ${joined}
      COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -Wl,--force-group-allocation -o ${joined}.all.o
              $<TARGET_OBJECTS:${objects}>
      COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=${entry}_${level} ${joined}.all.o ${joined}
      DEPENDS ${objects} $<TARGET_OBJECTS:${objects}>
      COMMENT "Joining ${objects}"
      COMMAND_EXPAND_LISTS VERBATIM)
    target_sources(${target} PRIVATE ${joined})
  endforeach()
endfunction()
