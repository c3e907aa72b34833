# The program: carbo_program holds all of it but main, for the tests; carbo_cli is the executable `carbo`. It needs
# carbo::study, CLI11, toml++, nlohmann-json and fmt.

include(CarboParts)
carbo_part(PROGRAM)
if(CARBO_PROGRAM_WANTED STREQUAL "OFF")
  return()
endif()

set(missing)
find_package(CLI11 2.1 CONFIG QUIET)
find_package(tomlplusplus 3.0 CONFIG QUIET)
find_package(nlohmann_json 3.9 CONFIG QUIET)
find_package(fmt 8 CONFIG QUIET)
foreach(wanted "CLI11::CLI11 libcli11-dev" "tomlplusplus::tomlplusplus libtomlplusplus-dev"
               "nlohmann_json::nlohmann_json nlohmann-json3-dev" "fmt::fmt libfmt-dev" "carbo_store carbo::study")
  separate_arguments(wanted)
  list(GET wanted 0 target)
  list(GET wanted 1 package)
  if(NOT TARGET ${target})
    list(APPEND missing ${package})
  endif()
endforeach()
if(missing)
  list(JOIN missing ", " missing)
  set(CARBO_PROGRAM_STATUS "not built (${missing} not found)")
  if(CARBO_PROGRAM_WANTED STREQUAL "ON")
    message(FATAL_ERROR "CARBO_PROGRAM=ON, but ${missing} was not found. On Debian and Ubuntu: apt-get install "
                        "libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libfmt-dev; or use AUTO or OFF")
  endif()
  return()
endif()

file(GLOB_RECURSE program_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/program/*.cpp)
list(FILTER program_sources EXCLUDE REGEX "/src/program/main.cpp$")
# What the page of a study is made of.
set(page ${PROJECT_SOURCE_DIR}/src/program/report/page)
set(page_scripts basis.js chart.js progress.js models.js parameters.js parallel.js trials.js next.js compare.js replay.js live.js
                 main.js)
set(page_code ${PROJECT_BINARY_DIR}/page_parts.cpp)
list(TRANSFORM page_scripts PREPEND ${page}/ OUTPUT_VARIABLE page_script_files)
add_custom_command(
  OUTPUT ${page_code}
  COMMAND ${CMAKE_COMMAND} -DPAGE=${page} -DOUTPUT=${page_code} "-DSCRIPTS=${page_scripts}" -P
          ${PROJECT_SOURCE_DIR}/cmake/PageParts.cmake
  DEPENDS ${page}/page.html ${page}/page.css ${page_script_files} ${PROJECT_SOURCE_DIR}/cmake/PageParts.cmake
  VERBATIM)
add_library(carbo_program STATIC ${program_sources} ${page_code})
carbo_compile(carbo_program)
carbo_unity(carbo_program)
target_compile_features(carbo_program PUBLIC cxx_std_20)
target_include_directories(carbo_program PUBLIC ${CARBO_PRIVATE_INCLUDES})
target_compile_definitions(carbo_program PRIVATE "CARBO_PROGRAM_CUDA_STATUS=\"${CARBO_CUDA_STATUS}\"")
target_link_libraries(
  carbo_program
  PUBLIC carbo::study carbo::carbo carbo_replay
  PRIVATE CLI11::CLI11 tomlplusplus::tomlplusplus nlohmann_json::nlohmann_json fmt::fmt)

# The live page is a part of it where cpp-httplib is, and OpenSSL, which its header asks for. One file knows of them.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(HTTPLIB QUIET cpp-httplib)
endif()
find_package(OpenSSL QUIET)
if(HTTPLIB_FOUND AND OPENSSL_FOUND)
  set_source_files_properties(
    ${PROJECT_SOURCE_DIR}/src/program/live/live.cpp
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_DEFINITIONS CARBO_PROGRAM_HTTP COMPILE_OPTIONS
                                                                                  "${HTTPLIB_CFLAGS_OTHER}")
  target_link_libraries(carbo_program PRIVATE ${HTTPLIB_LINK_LIBRARIES})
  set(live_page "with the live page")
else()
  set(live_page "without the live page: libcpp-httplib-dev or libssl-dev not found")
endif()

add_executable(carbo_cli ${PROJECT_SOURCE_DIR}/src/program/main.cpp)
set_target_properties(carbo_cli PROPERTIES OUTPUT_NAME carbo)
carbo_compile(carbo_cli)
target_link_libraries(carbo_cli PRIVATE carbo_program)
# Manuals and completions are what the program says of itself.
set(manuals ${PROJECT_BINARY_DIR}/manuals)
add_custom_command(
  OUTPUT ${manuals}/carbo.1
  COMMAND carbo_cli manual --into ${manuals}
  DEPENDS carbo_cli
  COMMENT "Writing the manuals of carbo")
add_custom_target(carbo_manuals ALL DEPENDS ${manuals}/carbo.1)
set(CARBO_PROGRAM_BUILT ON)
set(CARBO_PROGRAM_STATUS "built (carbo, ${live_page})")
