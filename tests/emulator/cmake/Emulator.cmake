# emulator_translate(<library>)
#   Translates the CUDA code inside a shared library target, as nvcc linked it, whenever it changes (target
#   <library>_modules, part of "all"). The folder of the result is the property EMULATOR_MODULES of the library.
#
# emulator_test_executable(<executable> <library>...)
#   Makes an executable run the code of these libraries on the stand-ins: links the stand-ins before everything else,
#   so that a library that is loaded later finds them, and translates the libraries.
#
# emulator_environment(<variable> <executable> [<name>=<value>...])
#   Sets the variable to the list of environment variables with which the executable has to run. What LD_PRELOAD names
#   is found in LD_LIBRARY_PATH: a path in it would end at a blank.
#
# emulator_add_test(NAME <name> COMMAND <executable> [<argument>...] [ENVIRONMENT <name>=<value>...]
#                   [LABELS <label>...])
#   Adds one test that runs such an executable.
#
# emulator_discover_tests(<executable> [PREFIX <prefix>] [ENVIRONMENT <name>=<value>...] [LABELS <label>...])
#   Adds every GoogleTest of such an executable as a test. May be called again with another prefix and environment.

set_property(GLOBAL PROPERTY EMULATOR_ROOT ${CMAKE_CURRENT_LIST_DIR}/..)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
set_property(GLOBAL PROPERTY EMULATOR_JOBS ${cores})

function(emulator_translate library)
  get_target_property(modules ${library} EMULATOR_MODULES)
  if(modules)
    return()
  endif()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  get_property(jobs GLOBAL PROPERTY EMULATOR_JOBS)
  get_property(root GLOBAL PROPERTY EMULATOR_ROOT)
  get_target_property(folder ${library} BINARY_DIR)
  set(modules ${folder}/${library}_modules)
  # A change of the translator makes the translation anew, not only a change of the library.
  file(GLOB translator CONFIGURE_DEPENDS ${root}/translate/*.py ${root}/kernel/*.hpp)
  add_custom_command(
    OUTPUT ${modules}/translated
    COMMAND ${Python3_EXECUTABLE} ${root}/translate/build_modules.py --compiler ${CMAKE_CXX_COMPILER} --jobs
            ${jobs} --output ${modules} $<TARGET_FILE:${library}>
    COMMAND ${CMAKE_COMMAND} -E touch ${modules}/translated
    DEPENDS ${library} ${translator}
    COMMENT "Translating the CUDA code of ${library}"
    VERBATIM)
  add_custom_target(${library}_modules ALL DEPENDS ${modules}/translated)
  set_target_properties(${library} PROPERTIES EMULATOR_MODULES ${modules})
endfunction()

function(emulator_test_executable executable)
  set(folders)
  foreach(library ${ARGN})
    emulator_translate(${library})
    get_target_property(folder ${library} EMULATOR_MODULES)
    list(APPEND folders ${folder})
    add_dependencies(${executable} ${library}_modules)
  endforeach()
  list(JOIN folders ":" folders)
  set_target_properties(${executable} PROPERTIES EMULATOR_MODULES "${folders}" CUDA_RUNTIME_LIBRARY None)
  target_link_libraries(${executable} PRIVATE emulator_cudart)
  # All three, whether the executable calls them or not: what is loaded first under a name serves everyone.
  target_link_options(
    ${executable} BEFORE PRIVATE LINKER:--no-as-needed $<TARGET_FILE:emulator_cudart>
    $<TARGET_FILE:emulator_cublas> $<TARGET_FILE:emulator_cusolver> LINKER:--as-needed
    LINKER:-rpath,$<TARGET_FILE_DIR:emulator_cudart>)
  add_dependencies(${executable} emulator_cudart emulator_cublas emulator_cusolver)
endfunction()

function(emulator_environment variable executable)
  # LD_BIND_NOW: a function that the stand-ins lack shows when a library is loaded and not in the middle of a test.
  get_target_property(modules ${executable} EMULATOR_MODULES)
  get_target_property(folder emulator_cudart LIBRARY_OUTPUT_DIRECTORY)
  set(${variable}
      LD_LIBRARY_PATH=${folder} LD_BIND_NOW=1 EMULATOR_MODULES=${modules} ${ARGN}
      PARENT_SCOPE)
endfunction()

function(emulator_add_test)
  cmake_parse_arguments(arg "" "NAME" "COMMAND;ENVIRONMENT;LABELS" ${ARGN})
  list(GET arg_COMMAND 0 executable)
  emulator_environment(environment ${executable} ${arg_ENVIRONMENT})
  add_test(NAME ${arg_NAME} COMMAND ${arg_COMMAND})
  set_tests_properties(${arg_NAME} PROPERTIES ENVIRONMENT "${environment}" LABELS "${arg_LABELS}" TIMEOUT 300)
endfunction()

function(emulator_discover_tests executable)
  cmake_parse_arguments(arg "" "PREFIX" "ENVIRONMENT;LABELS" ${ARGN})
  emulator_environment(environment ${executable} ${arg_ENVIRONMENT})
  string(MAKE_C_IDENTIFIER "${executable}_${arg_PREFIX}" list)
  gtest_discover_tests(${executable} NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60 TEST_PREFIX "${arg_PREFIX}"
                       TEST_LIST ${list})
  # Properties that are lists do not survive gtest_discover_tests; ctest reads this file after the list of tests.
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${list}.cmake)
  file(WRITE ${script} "if(${list})\n  set_tests_properties(\${${list}} PROPERTIES TIMEOUT 300\n"
                       "    LABELS \"${arg_LABELS}\"\n    ENVIRONMENT \"${environment}\")\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()
