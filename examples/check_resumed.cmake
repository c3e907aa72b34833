# Runs PROGRAM in one process, and in processes of STEP runs each, with states in FOLDER, and fails unless both end with
# the same state.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

function(run state runs)
  execute_process(COMMAND ${PROGRAM} ${FOLDER}/${state} ${runs} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  message("${state}: ${output}")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} ended with ${status}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(straight.json 1000)
set(expected "${output}")
set(processes 0)
while(NOT output STREQUAL expected OR processes EQUAL 0)
  if(processes GREATER 20)
    message(FATAL_ERROR "No end like that of one process after ${processes}")
  endif()
  run(resumed.json ${STEP})
  math(EXPR processes "${processes} + 1")
endwhile()
if(processes LESS 4)
  message(FATAL_ERROR "It was over after ${processes} processes: too soon to tell")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${FOLDER}/straight.json ${FOLDER}/resumed.json
                RESULT_VARIABLE different)
if(different)
  message(FATAL_ERROR "The two states differ")
endif()
