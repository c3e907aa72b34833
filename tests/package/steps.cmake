# What the scripts of this folder share: a scratch folder `work`, and commands that must succeed or fail.

execute_process(COMMAND mktemp -d OUTPUT_VARIABLE work OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

# Ends the script as failed.
function(finish message)
  file(REMOVE_RECURSE ${work})
  message(FATAL_ERROR "${message}")
endfunction()

# step(NAME COMMAND [ARGUMENT]...): what the command writes to stdout and stderr is in `output` and `errors`.
function(step name)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    finish("${name} failed (${status}):\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
  set(errors "${errors}" PARENT_SCOPE)
endfunction()

# expect_failure(STATUS MESSAGE COMMAND [ARGUMENT]...): MESSAGE, a regular expression, is in what is written to stderr,
# which is in `errors`.
function(expect_failure wanted_status wanted_message)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE errors)
  if(NOT (status EQUAL wanted_status AND errors MATCHES "${wanted_message}"))
    finish("${ARGN} ended with ${status}, and not with ${wanted_status} and '${wanted_message}':\n${errors}")
  endif()
  set(errors "${errors}" PARENT_SCOPE)
endfunction()
