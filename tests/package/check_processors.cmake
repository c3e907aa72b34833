# One program on processors that this machine is not: compiled against the installation, copied alone to another folder,
# and run by qemu as they would, where one instruction too many ends it. Levels that are named and cannot run are
# refused, and a level gives the bits that it gives here. Given: PREFIX, CXX, QEMU, PROGRAM.

if(NOT QEMU)
  message("qemu-x86_64 was not found (Debian: qemu-user): older processors are not tested")
  return()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
file(GLOB_RECURSE library ${PREFIX}/libcarbo.a)
step(compile ${CXX} -std=c++20 -O1 ${PROGRAM} -I${PREFIX}/include ${library} -lmuparser -pthread -ldl -o ${work}/PROGRAM)
file(MAKE_DIRECTORY ${work}/elsewhere)
file(RENAME ${work}/PROGRAM ${work}/elsewhere/PROGRAM)

set(ENV{CARBO_CUDA_LIBRARY} "")
foreach(processor "Nehalem;v2" "Haswell;v3")
  list(POP_FRONT processor name)
  set(level ${processor})
  set(ENV{CARBO_CPU_LEVEL} "")
  # At v2 the C library's own exp and log differ in a last digit where a processor has FMA: scores may, too.
  set(scores scores)
  if(level STREQUAL "v2")
    set(scores)
  endif()
  step("${name}" ${QEMU} -cpu ${name} ${work}/elsewhere/PROGRAM ${scores})
  set(there "${output}")
  if(NOT there MATCHES "^cpu ${level}: asked for\n.*closed loop: 0x")
    finish("a ${name} runs ${there}")
  endif()
  # Code of the level itself, on this machine: the same bits, wherever this machine can run it.
  execute_process(COMMAND ${CMAKE_COMMAND} -E env CARBO_CPU_LEVEL=${level} ${work}/elsewhere/PROGRAM ${scores}
                  OUTPUT_VARIABLE here RESULT_VARIABLE status)
  if(status EQUAL 0 AND NOT here STREQUAL there)
    finish("at ${level} a ${name} and this processor differ:\n${there}\n${here}")
  endif()
  if(NOT status EQUAL 0 AND NOT here MATCHES "unavailable: .*this processor lacks")
    finish("at ${level} this processor ended with ${status}: ${here}")
  endif()
endforeach()

foreach(refused "Nehalem;v3;avx2" "Nehalem;v4;avx512f" "Haswell;v4;avx512f")
  list(GET refused 0 name)
  list(GET refused 1 level)
  list(GET refused 2 missing)
  set(ENV{CARBO_CPU_LEVEL} ${level})
  execute_process(COMMAND ${QEMU} -cpu ${name} ${work}/elsewhere/PROGRAM OUTPUT_VARIABLE output ERROR_VARIABLE errors
                  RESULT_VARIABLE status)
  if(NOT (status EQUAL 3 AND output MATCHES "unavailable: .*CARBO_CPU_LEVEL is '${level}'.*lacks .*${missing}"))
    finish("${level} on a ${name} ended with ${status}: ${output}${errors}")
  endif()
endforeach()

file(REMOVE_RECURSE ${work})
