# libcarbo_c: libcarbo behind the C functions of include/carbo/carbo.h, which are all that it exports.

if(CARBO_TESTS OR CARBO_EXAMPLES)
  enable_language(C)
endif()

file(GLOB c_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/c/*.cpp)
set(version_script ${PROJECT_SOURCE_DIR}/src/c/carbo_c.map)
add_library(carbo_c SHARED ${c_sources})
add_library(carbo::c ALIAS carbo_c)
carbo_compile(carbo_c)
carbo_unity(carbo_c)
target_compile_features(carbo_c PRIVATE cxx_std_20)
target_include_directories(
  carbo_c
  INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  PRIVATE ${CARBO_PRIVATE_INCLUDES})
set(CARBO_C_DEFINITIONS "CARBO_C_CUDA_STATUS=\"${CARBO_CUDA_STATUS}\"" CARBO_C_CUDA_BUILT=$<BOOL:${CARBO_CUDA_BUILT}>)
target_compile_definitions(carbo_c PRIVATE ${CARBO_C_DEFINITIONS})
target_link_libraries(carbo_c PRIVATE carbo)
target_link_options(carbo_c PRIVATE LINKER:--version-script,${version_script} LINKER:--exclude-libs,ALL)
set_target_properties(carbo_c PROPERTIES LINK_DEPENDS ${version_script})
# A shared libcarbo lies beside it.
set_target_properties(
  carbo_c
  PROPERTIES VERSION ${PROJECT_VERSION}
             SOVERSION ${CARBO_SOVERSION}
             EXPORT_NAME c
             INSTALL_RPATH $ORIGIN
             BUILD_WITH_INSTALL_RPATH ON)
