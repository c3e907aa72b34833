# carbo_seconds(VARIABLE SECONDS): the seconds after which a test counts as hanging. An emulated processor (preset arm64)
# gets ten times as many.
function(carbo_seconds variable seconds)
  if(CMAKE_CROSSCOMPILING)
    math(EXPR seconds "${seconds} * 10")
  endif()
  set(${variable} ${seconds} PARENT_SCOPE)
endfunction()
