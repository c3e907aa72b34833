# The Python package: python/carbo and its module of C++, python/src, by nanobind. Decides whether it is built:
# CARBO_PYTHON_BUILT, and CARBO_PYTHON_STATUS for people to read. In the build tree it is imported from
# python/ (CARBO_PYTHON_PACKAGE); scripts/python makes the environment that it needs, too.

include(CarboParts)
carbo_part(PYTHON)
if(CARBO_PYTHON_WANTED STREQUAL "OFF")
  return()
endif()

set(missing)
if(NOT TARGET carbo_store)
  list(APPEND missing "carbo::study")
endif()
# An environment of the build tree's own comes before the machine's.
if(NOT Python_EXECUTABLE AND EXISTS ${PROJECT_BINARY_DIR}/python-env/bin/python)
  set(Python_EXECUTABLE ${PROJECT_BINARY_DIR}/python-env/bin/python)
endif()
find_package(Python 3.10 QUIET COMPONENTS Interpreter Development.Module OPTIONAL_COMPONENTS Development.SABIModule)
if(NOT TARGET Python::Module)
  list(APPEND missing "Python 3.10 or later with its headers (python3-dev)")
else()
  execute_process(
    COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
    OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  find_package(nanobind CONFIG QUIET)
  if(NOT COMMAND nanobind_add_module)
    list(APPEND missing "nanobind of ${Python_EXECUTABLE} (scripts/python)")
  endif()
endif()
if(CARBO_SANITIZE)
  list(APPEND missing "an interpreter with sanitizers")
endif()
if(missing)
  list(JOIN missing ", " missing)
  set(CARBO_PYTHON_STATUS "not built (${missing} not found)")
  if(CARBO_PYTHON_WANTED STREQUAL "ON")
    message(FATAL_ERROR "CARBO_PYTHON=ON, but ${missing} was not found; use AUTO or OFF")
  endif()
  return()
endif()

file(GLOB python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/*.cpp)
# For a wheel: CARBO_PYTHON_BACKEND names the package that nanobind's own code is taken from at run time, so that one
# module serves every Python from 3.10 on; CARBO_PYTHON_STATIC has the C++ library inside.
set(CARBO_PYTHON_BACKEND "" CACHE STRING "Package with nanobind's own code; empty: a part of the module")
option(CARBO_PYTHON_STATIC "Link the C++ library into the Python module" OFF)
set(python_mode)
if(CARBO_PYTHON_BACKEND)
  set(python_mode BACKEND_MODULE ${CARBO_PYTHON_BACKEND})
endif()
# Budgets with their units are read as in a study file.
list(APPEND python_sources ${PROJECT_SOURCE_DIR}/src/program/file/amount.cpp)
nanobind_add_module(carbo_python ${python_mode} NB_SUPPRESS_WARNINGS ${python_sources})
set_target_properties(carbo_python PROPERTIES OUTPUT_NAME _carbo)
carbo_compile(carbo_python)
if(CARBO_UNITY)
  set_target_properties(carbo_python PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 4)
endif()
target_compile_features(carbo_python PRIVATE cxx_std_20)
target_include_directories(carbo_python PRIVATE ${CARBO_PRIVATE_INCLUDES} ${PROJECT_SOURCE_DIR}/python/src)
target_link_libraries(carbo_python PRIVATE carbo_store carbo_replay carbo)
# Nothing of the libraries inside is to be found by others in the process, nor the other way round.
target_link_options(carbo_python PRIVATE -Wl,--exclude-libs,ALL)
if(CARBO_PYTHON_STATIC)
  # Not libgcc: what is thrown here is caught in nanobind's module, and one unwinder has to walk through both.
  target_link_options(carbo_python PRIVATE -static-libstdc++ -shared-libgcc)
endif()
install(TARGETS carbo_python DESTINATION carbo COMPONENT python EXCLUDE_FROM_ALL)

# The package as it is imported from the build tree: the module, and links to what is written in Python.
set(CARBO_PYTHON_PACKAGE ${PROJECT_BINARY_DIR}/python)
set_target_properties(carbo_python PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CARBO_PYTHON_PACKAGE}/carbo)
file(GLOB python_files RELATIVE ${PROJECT_SOURCE_DIR}/python/carbo CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/python/carbo/*.py ${PROJECT_SOURCE_DIR}/python/carbo/*.pyi
     ${PROJECT_SOURCE_DIR}/python/carbo/py.typed)
file(MAKE_DIRECTORY ${CARBO_PYTHON_PACKAGE}/carbo)
foreach(name IN LISTS python_files)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/carbo/${name} ${CARBO_PYTHON_PACKAGE}/carbo/${name} SYMBOLIC)
endforeach()
set(CARBO_PYTHON_BUILT ON)
set(CARBO_PYTHON_STATUS "built (nanobind ${nanobind_VERSION}, Python ${Python_VERSION})")
