# Installs BUILD_TREE into PREFIX, which is made anew, and looks at what lies there. Given: PREFIX, BUILD_TREE, SOURCES,
# CONFIG, and STUDY where studies in a file were built.

include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
set(install ${CMAKE_COMMAND} --install ${BUILD_TREE} --config ${CONFIG} --prefix)
file(REMOVE_RECURSE ${PREFIX})
step(install ${install} ${PREFIX})

file(GLOB_RECURSE installed LIST_DIRECTORIES OFF RELATIVE ${PREFIX} ${PREFIX}/*)
set(studies)
if(STUDY)
  set(studies "/libcarbo_study[.](a|so)" "/cmake/carbo/carboStudyTargets.cmake" "/pkgconfig/carbo_study.pc")
endif()
foreach(wanted "include/carbo/carbo.hpp" "include/carbo/version.h" "/libcarbo[.](a|so)" "/libcarbo_c[.]so"
               "/cmake/carbo/carboConfig.cmake" "/pkgconfig/carbo.pc" "/pkgconfig/carbo_c.pc"
               "share/licenses/carbo/LICENSE" ${studies})
  if(NOT installed MATCHES "${wanted}(;|$)")
    finish("${wanted} was not installed, but these were: ${installed}")
  endif()
endforeach()

# Text may name nothing private: no Eigen, no path of this tree.
list(FILTER installed INCLUDE REGEX "[.](hpp|h|cmake|pc)$")
foreach(file IN LISTS installed)
  file(READ ${PREFIX}/${file} text)
  foreach(private Eigen ${BUILD_TREE} ${SOURCES})
    string(FIND "${text}" "${private}" position)
    if(NOT position EQUAL -1)
      finish("${file} mentions '${private}', which a consumer does not have")
    endif()
  endforeach()
endforeach()

# Nobody may write below a regular file, not even root.
file(WRITE ${work}/file "")
expect_failure(1 "cannot create directory: ${work}/file/prefix" ${install} ${work}/file/prefix)
file(REMOVE_RECURSE ${work})
