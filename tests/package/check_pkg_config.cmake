# The installation, moved, by pkg-config alone: PROGRAM is compiled as anybody would who has no CMake, and runs. Given:
# PREFIX, PKG_CONFIG, CXX, C, PROGRAM, VERSION.

if(NOT PKG_CONFIG)
  message("pkg-config was not found: its files are not tested")
  return()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
file(COPY ${PREFIX}/ DESTINATION ${work}/moved)
file(GLOB_RECURSE file ${work}/moved/*/carbo.pc)
cmake_path(GET file PARENT_PATH folder)
set(ENV{PKG_CONFIG_PATH} ${folder}:$ENV{PKG_CONFIG_PATH})

foreach(package carbo carbo_c)
  step(${package} ${PKG_CONFIG} --modversion ${package})
  if(NOT output STREQUAL "${VERSION}\n")
    finish("${package} has the version ${output}, not ${VERSION}")
  endif()
endforeach()

step(compile sh -c "\"$1\" -std=c++20 \"$2\" $(\"$3\" --cflags --libs --static carbo) -o \"$4\"" sh ${CXX} ${PROGRAM}
     ${PKG_CONFIG} ${work}/program)
step(run ${work}/program)
if(NOT output MATCHES "minimize: 0[.]0.*ask/tell: 0[.]0")
  finish("unexpected output: ${output}")
endif()

# With a blank in the folder's name, which pkg-config escapes as a shell reads it.
cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${work}/moved)
file(RENAME ${work}/moved "${work}/moved again")
set(ENV{PKG_CONFIG_PATH} "${work}/moved again/${folder}")
file(WRITE ${work}/main.c "#include <carbo/carbo.h>
int main(void) { return carbo_version() == CARBO_VERSION ? 0 : 1; }
")
step(flags ${PKG_CONFIG} --cflags --libs carbo_c)
separate_arguments(flags UNIX_COMMAND "${output}")
step("compile C" ${C} ${work}/main.c ${flags} -o ${work}/c_program)
file(GLOB_RECURSE library "${work}/moved again/libcarbo_c.so")
cmake_path(GET library PARENT_PATH folder)
step("run C" ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${folder} ${work}/c_program)
file(REMOVE_RECURSE ${work})
