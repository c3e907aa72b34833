# Where libcarbo_cuda is looked for once an installation was moved: PROGRAM, which has libcarbo inside, and one that uses
# libcarbo_c say which backend runs, and why. Given: PREFIX, C, PROGRAM; PLUG_IN, the name that libcarbo_cuda has;
# FITTING and STALE, which stand for it; CONFIGURED, the folder that libcarbo was to be installed into.

if(EXISTS ${CONFIGURED}/${PLUG_IN})
  message("${CONFIGURED} has a CUDA library already: what is said without one is not tested")
  return()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
file(REAL_PATH ${work} work)
file(GLOB_RECURSE library RELATIVE ${PREFIX} ${PREFIX}/libcarbo_c.so)
cmake_path(GET library PARENT_PATH libraries)

file(COPY ${PREFIX}/ DESTINATION ${work}/first)
file(MAKE_DIRECTORY ${work}/first/bin)
file(COPY_FILE ${PROGRAM} ${work}/first/bin/has_libcarbo)
step(compile ${C} ${CMAKE_CURRENT_LIST_DIR}/backend_reason.c -I ${work}/first/include -L ${work}/first/${libraries}
     -lcarbo_c "-Wl,-rpath,$ORIGIN/../${libraries}" -o ${work}/first/bin/uses_libcarbo_c)
file(RENAME ${work}/first "${work}/moved here")
set(programs "${work}/moved here/bin")
set(libraries "${work}/moved here/${libraries}")
file(GLOB installed ${libraries}/libcarbo_cuda*)
if(installed)
  file(REMOVE ${installed}) # where it was built; stand-ins take its place
endif()

# expect_reason(PROGRAM REASON [VARIABLE=VALUE]...): called by a name that is in PATH alone, and from another folder.
function(expect_reason program reason)
  step(${program} ${CMAKE_COMMAND} -E env --unset=CARBO_CUDA_LIBRARY PATH=${programs}:$ENV{PATH} ${ARGN}
       sh -c "cd / && exec ${program}")
  string(REGEX REPLACE "^cpu [a-z0-9]+:" "cpu:" output "${output}") # whatever level this processor has
  string(FIND "${output}" "${reason}" position)
  if(NOT position EQUAL 0)
    finish("${program} ${ARGN} said\n${output}and not\n${reason}")
  endif()
endfunction()
# Sets `reason` to what is said where the library is in no place; `beside` is the folder that is looked into first.
function(found_nowhere beside)
  set(missing "${PLUG_IN}: cannot open shared object file: No such file or directory")
  set(reason "cpu: the CUDA library could not be loaded (${beside}/${missing}; ${missing}; ${CONFIGURED}/${missing})\n"
      PARENT_SCOPE)
endfunction()
set(fits "cuda: a pretended device, the device that was found\n")

found_nowhere(${programs})
expect_reason(has_libcarbo "${reason}")
found_nowhere(${libraries})
expect_reason(uses_libcarbo_c "${reason}")

file(COPY_FILE ${FITTING} ${libraries}/${PLUG_IN})
expect_reason(uses_libcarbo_c "${fits}")
file(COPY_FILE ${FITTING} ${programs}/${PLUG_IN})
expect_reason(has_libcarbo "${fits}")
set(missing "/nowhere: cannot open shared object file: No such file or directory")
expect_reason(has_libcarbo "cpu: the CUDA library could not be loaded (${missing})\n" CARBO_CUDA_LIBRARY=/nowhere)

# One of another version is refused, and another place may have the right one.
file(COPY_FILE ${STALE} ${programs}/${PLUG_IN})
set(stale "${programs}/${PLUG_IN} was built from other sources (carbo 0.0.1, interface of long ago)")
expect_reason(has_libcarbo "cpu: the CUDA library could not be loaded (${stale} than this library (carbo ")
expect_reason(has_libcarbo "${fits}" LD_LIBRARY_PATH=${libraries})
file(REMOVE_RECURSE ${work})
