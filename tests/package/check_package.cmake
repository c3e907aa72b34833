# Copies CONSUMER out of the source tree, builds it against the installation in PREFIX with plain flags (no -march) and
# runs it. Given: PREFIX, CONSUMER, GENERATOR, CXX, and WITHOUT_CUDA where nothing of CUDA may be needed to build the
# consumer or to start it.

include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
file(COPY ${CONSUMER}/ DESTINATION ${work}/source)

step(configure ${CMAKE_COMMAND} -S ${work}/source -B ${work}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
     -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS=-Werror\ -Wall\ -Wextra -DCMAKE_PREFIX_PATH=${PREFIX}
     -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON -DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=${WITHOUT_CUDA})
step(build ${CMAKE_COMMAND} --build ${work}/build)
step(readelf readelf --dynamic --wide ${work}/build/consumer)
if(NOT WITHOUT_CUDA AND NOT output MATCHES "\\[libcarbo_cuda[^]]*\\]")
  finish("the consumer links carbo::cuda, and starts without it:\n${output}")
endif()
if(WITHOUT_CUDA)
  if(output MATCHES "\\[lib(cu|nv|carbo_cuda)[^]]*\\]")
    finish("the consumer needs ${CMAKE_MATCH_0} to start")
  endif()
  file(GLOB_RECURSE library ${PREFIX}/libcarbo.a ${PREFIX}/libcarbo.so)
  step(nm nm --undefined-only ${library})
  if(output MATCHES "U (cuda|cublas|cusolver)[A-Za-z]*")
    finish("libcarbo needs ${CMAKE_MATCH_0}")
  endif()
endif()
step(run ${work}/build/consumer)
if(NOT output MATCHES "consumer: ")
  finish("unexpected output: ${output}")
endif()
message(STATUS "${output}")
file(REMOVE_RECURSE ${work})
