# The installation, moved, by pkg-config alone: PROGRAM is compiled as anybody would who has no CMake, and runs. Given:
# PREFIX, PKG_CONFIG, CXX, C, PROGRAM, VERSION, STUDY_PROGRAM, and STUDY where studies in a file were built.

if(NOT PKG_CONFIG)
  message("pkg-config was not found: its files are not tested")
  return()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
file(GLOB_RECURSE library RELATIVE ${PREFIX} ${PREFIX}/libcarbo_c.so)
cmake_path(GET library PARENT_PATH libraries)

# move(FROM TO): where pkg-config and programs that are run look from now on.
function(move from to)
  file(RENAME ${from} ${to})
  set(ENV{PKG_CONFIG_PATH} ${to}/${libraries}/pkgconfig:$ENV{PKG_CONFIG_PATH})
  set(ENV{LD_LIBRARY_PATH} ${to}/${libraries})
endfunction()

file(COPY ${PREFIX}/ DESTINATION ${work}/first)
move(${work}/first ${work}/second)
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

if(STUDY)
  step("compile a study" sh -c "\"$1\" -std=c++20 \"$2\" $(\"$3\" --cflags --libs --static carbo_study) -o \"$4\"" sh
       ${CXX} ${STUDY_PROGRAM} ${PKG_CONFIG} ${work}/study)
  step("run a study" ${CMAKE_COMMAND} -E chdir ${work} ${work}/study)
endif()

# With a blank in the folder's name, which pkg-config escapes as a shell reads it.
move(${work}/second "${work}/the third")
file(WRITE ${work}/main.c "#include <carbo/carbo.h>
int main(void) { return carbo_version() == CARBO_VERSION ? 0 : 1; }
")
step(flags ${PKG_CONFIG} --cflags --libs carbo_c)
separate_arguments(flags UNIX_COMMAND "${output}")
step("compile C" ${C} ${work}/main.c ${flags} -o ${work}/c_program)
step("run C" ${work}/c_program)
file(REMOVE_RECURSE ${work})
