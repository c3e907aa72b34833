# Headers, libraries and licence; the CMake package that find_package(carbo) reads, and the same for pkg-config.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(CARBO_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/carbo)
set(CARBO_PKG_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Apart, so that a program in C asks nobody for what libcarbo is made of, and find_package(carbo) nobody for CUDA.
set(export_carbo carboTargets)
set(export_carbo_c carboCTargets)
set(export_carbo_cuda carboCudaTargets)
set(export_carbo_store carboStudyTargets)
set(installed_libraries carbo carbo_c)
if(CARBO_STUDY_BUILT)
  list(APPEND installed_libraries carbo_store)
endif()
if(CARBO_CUDA_BUILT)
  list(APPEND installed_libraries carbo_cuda)
endif()
foreach(library IN LISTS installed_libraries)
  install(TARGETS ${library} EXPORT ${export_${library}} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT ${export_${library}} NAMESPACE carbo:: DESTINATION ${CARBO_PACKAGE_DIR})
endforeach()
# All that `cmake --install` asks for, for who builds no more than that.
add_custom_target(carbo_installed DEPENDS ${installed_libraries})

if(CARBO_PROGRAM_BUILT)
  install(TARGETS carbo_cli)
  install(DIRECTORY ${manuals}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
  install(FILES ${manuals}/carbo DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${manuals}/_carbo DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  add_dependencies(carbo_installed carbo_manuals)
endif()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/carbo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/licenses/carbo)

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/carboConfig.cmake.in ${PROJECT_BINARY_DIR}/carboConfig.cmake
  INSTALL_DESTINATION ${CARBO_PACKAGE_DIR} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/carboConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/carboConfig.cmake ${PROJECT_BINARY_DIR}/carboConfigVersion.cmake
        DESTINATION ${CARBO_PACKAGE_DIR})

# From the file's own folder, so that an installation may be moved; absolute where folders were given as such.
set(pc_prefix ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  file(RELATIVE_PATH pc_prefix /${CARBO_PKG_CONFIG_DIR} /)
  string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${pc_prefix}")
endif()
cmake_path(APPEND pc_libdir \${prefix} ${CMAKE_INSTALL_LIBDIR})
cmake_path(APPEND pc_includedir \${prefix} ${CMAKE_INSTALL_INCLUDEDIR})

# carbo_pkg_config(NAME FACE NEEDS): NEEDS are the lines that say what a program links.
function(carbo_pkg_config pc_name pc_face)
  list(JOIN ARGN "\n" pc_needs)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/carbo.pc.in ${PROJECT_BINARY_DIR}/${pc_name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${pc_name}.pc DESTINATION ${CARBO_PKG_CONFIG_DIR})
endfunction()

# A static libcarbo brings nothing of what it calls: programs link that too, whether they ask with --static or without.
set(muparser "muparser >= 2.3")
set(link_carbo "Libs: -L\${libdir} -lcarbo")
if(BUILD_SHARED_LIBS)
  carbo_pkg_config(carbo "" "Requires.private: ${muparser}" "${link_carbo}" "Libs.private: -pthread -ldl")
else()
  carbo_pkg_config(carbo "" "Requires: ${muparser}" "${link_carbo} -pthread -ldl")
endif()
if(CARBO_STUDY_BUILT AND BUILD_SHARED_LIBS)
  carbo_pkg_config(carbo_study ", studies in a file" "Requires: carbo" "Requires.private: sqlite3"
                   "Libs: -L\${libdir} -lcarbo_study")
elseif(CARBO_STUDY_BUILT)
  carbo_pkg_config(carbo_study ", studies in a file" "Requires: carbo, sqlite3" "Libs: -L\${libdir} -lcarbo_study")
endif()
carbo_pkg_config(carbo_c ", in C" "Libs: -L\${libdir} -lcarbo_c")
