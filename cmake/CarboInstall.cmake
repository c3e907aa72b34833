# Headers, library and the CMake package that find_package(carbo) reads.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(CARBO_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/carbo)

install(TARGETS carbo EXPORT carboTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/carbo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT carboTargets NAMESPACE carbo:: DESTINATION ${CARBO_PACKAGE_DIR})
# Apart, so that a program in C asks nobody for what libcarbo is made of.
install(TARGETS carbo_c EXPORT carboCTargets)
install(EXPORT carboCTargets NAMESPACE carbo:: DESTINATION ${CARBO_PACKAGE_DIR})
# Apart, so that find_package(carbo) asks nobody for CUDA.
if(CARBO_CUDA_BUILT)
  install(TARGETS carbo_cuda EXPORT carboCudaTargets)
  install(EXPORT carboCudaTargets NAMESPACE carbo:: DESTINATION ${CARBO_PACKAGE_DIR})
endif()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/carboConfig.cmake.in ${PROJECT_BINARY_DIR}/carboConfig.cmake
  INSTALL_DESTINATION ${CARBO_PACKAGE_DIR})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/carboConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/carboConfig.cmake ${PROJECT_BINARY_DIR}/carboConfigVersion.cmake
        DESTINATION ${CARBO_PACKAGE_DIR})
