# A component that is not there says why. Given: PREFIX, CONSUMER, GENERATOR, CXX.

include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
set(project ${CMAKE_COMMAND} -S ${CONSUMER} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX})

step(quiet ${project} -B ${work}/quiet -DCMAKE_PREFIX_PATH=${PREFIX})
if(NOT errors STREQUAL "")
  finish("QUIET was asked for:\n${errors}")
endif()

# The package of a library with the CUDA backend, and of one without, whichever this one is.
file(GLOB_RECURSE config ${PREFIX}/*/carboConfig.cmake)
cmake_path(GET config PARENT_PATH package)
file(COPY ${package}/ DESTINATION ${work}/package)
# require(COMPONENT REASON): CMake breaks lines between words.
function(require component reason)
  string(REPLACE " " "[ \n]+" reason "Reason given by package: ${reason}")
  expect_failure(1 "${reason}" ${project} -B ${work}/${component} -Dcarbo_DIR=${work}/package -DREQUIRE=${component}
                 -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON)
endfunction()
file(REMOVE ${work}/package/carboCudaTargets.cmake)
require(cuda "component 'cuda': this installation has no CUDA backend: (not )?built \\(")
file(REMOVE ${work}/package/carboStudyTargets.cmake)
require(study "component 'study': this installation has no studies in a file: (not )?built \\(")
require(gpu "component 'gpu': there is no such component; c, cuda and study are known")
file(TOUCH ${work}/package/carboCudaTargets.cmake)
require(cuda "component 'cuda': it needs the libraries of the CUDA toolkit 13.0 or later, which was not found")
file(REMOVE_RECURSE ${work})
