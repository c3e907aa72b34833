# carbo_replay: methods run on measured tables and compared, for the program, the benchmarks and the Python package; built
# where one of them is.
file(GLOB replay_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/replay/*.cpp)
add_library(carbo_replay STATIC EXCLUDE_FROM_ALL ${replay_sources})
carbo_compile(carbo_replay)
carbo_unity(carbo_replay)
target_compile_features(carbo_replay PUBLIC cxx_std_20)
target_include_directories(carbo_replay PUBLIC ${CARBO_PRIVATE_INCLUDES})
target_link_libraries(carbo_replay PUBLIC carbo::carbo)
set_target_properties(carbo_replay PROPERTIES POSITION_INDEPENDENT_CODE ON)
