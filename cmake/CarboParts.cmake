# carbo_part(NAME): what a part that may be left out begins with. CARBO_<NAME>, AUTO, ON or OFF, becomes
# CARBO_<NAME>_WANTED in capitals; CARBO_<NAME>_BUILT is OFF until the part says otherwise, and CARBO_<NAME>_STATUS, for
# people to read, is set where nobody wants it.
macro(carbo_part name)
  string(TOUPPER "${CARBO_${name}}" CARBO_${name}_WANTED)
  if(NOT CARBO_${name}_WANTED MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "CARBO_${name} is '${CARBO_${name}}'; it must be AUTO, ON or OFF")
  endif()
  set(CARBO_${name}_BUILT OFF)
  if(CARBO_${name}_WANTED STREQUAL "OFF")
    set(CARBO_${name}_STATUS "not built (CARBO_${name}=OFF)")
  endif()
endmacro()
