# libcarbo_study: studies in a file, on SQLite; libcarbo itself does not need it. Decides whether it is built:
# CARBO_STUDY_BUILT, and CARBO_STUDY_STATUS for people to read.

include(CarboParts)
carbo_part(STUDY)
if(CARBO_STUDY_WANTED STREQUAL "OFF")
  return()
endif()
find_package(SQLite3 3.35 QUIET)
if(NOT SQLite3_FOUND)
  set(CARBO_STUDY_STATUS "not built (SQLite 3.35 or later was not found; on Debian and Ubuntu: libsqlite3-dev)")
  if(CARBO_STUDY_WANTED STREQUAL "ON")
    message(FATAL_ERROR "CARBO_STUDY=ON, but durable studies are ${CARBO_STUDY_STATUS}; use AUTO or OFF")
  endif()
  return()
endif()
set(CARBO_STUDY_BUILT ON)
set(CARBO_STUDY_STATUS "built (SQLite ${SQLite3_VERSION})")

file(GLOB study_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/study/*.cpp)
add_library(carbo_store ${study_sources})
add_library(carbo::study ALIAS carbo_store)
carbo_compile(carbo_store)
carbo_unity(carbo_store)
target_compile_features(carbo_store PUBLIC cxx_std_20)
target_include_directories(carbo_store PRIVATE ${CARBO_PRIVATE_INCLUDES})
target_link_libraries(
  carbo_store
  PUBLIC carbo
  PRIVATE SQLite::SQLite3)
set_target_properties(
  carbo_store
  PROPERTIES OUTPUT_NAME carbo_study
             EXPORT_NAME study
             POSITION_INDEPENDENT_CODE ON
             VERSION ${PROJECT_VERSION}
             SOVERSION ${CARBO_SOVERSION}
             INSTALL_RPATH $ORIGIN)
