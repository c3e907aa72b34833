# Compile settings that the library, the tests and the benchmarks share. None of them asks for more than the compiler's
# own default of the processor: what does is compiled by carbo_levels.

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_CXX_EXTENSIONS OFF)
endif()

set(CARBO_PRIVATE_INCLUDES ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/kernels)

set(CARBO_COMPILE_OPTIONS -fno-math-errno -fno-trapping-math)
# The four left out double the time to compile Eigen; what they would find, the address sanitizer or a fault shows.
set(CARBO_MEMORY_SANITIZERS -fsanitize=address,undefined -fno-sanitize=null,alignment,vptr,object-size
                            -fno-sanitize-recover=all -fno-omit-frame-pointer)
set(CARBO_THREAD_SANITIZER -fsanitize=thread -fno-omit-frame-pointer)
set(CARBO_SANITIZER_OPTIONS)
if(CARBO_SANITIZE STREQUAL "thread")
  set(CARBO_SANITIZER_OPTIONS ${CARBO_THREAD_SANITIZER})
elseif(CARBO_SANITIZE)
  set(CARBO_SANITIZER_OPTIONS ${CARBO_MEMORY_SANITIZERS})
endif()
set(CARBO_WARNING_OPTIONS -Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND CARBO_WARNING_OPTIONS -Wno-restrict) # GCC 12 warns of every "text" + std::string at -O3
endif()
if(CARBO_WERROR)
  list(APPEND CARBO_WARNING_OPTIONS -Werror)
endif()

# Compiles the sources of each folder together where CARBO_UNITY is set: most of the time goes into headers.
function(carbo_unity target)
  if(NOT CARBO_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER ${folder} group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# Applies all of it to a target, with access to Eigen.
function(carbo_compile target)
  target_compile_options(${target} PRIVATE ${CARBO_COMPILE_OPTIONS} ${CARBO_SANITIZER_OPTIONS}
                                           ${CARBO_WARNING_OPTIONS})
  target_link_options(${target} PUBLIC ${CARBO_SANITIZER_OPTIONS})
  target_compile_definitions(${target} PRIVATE ${CARBO_EIGEN_DEFINITIONS})
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:Eigen3::Eigen>)
endfunction()
