# Copies APPLICATION out of the source tree, builds it against the installation in PREFIX and runs it on the emulated
# device: work at the call, and work only when something waits for it. Both must print the same, and wait where
# documented only. Given: PREFIX, APPLICATION, GENERATOR, CXX, NVCC, PYTHON, JOBS, EMULATOR (its sources), STAND_INS
# (folder of its libraries), MODULES (translated kernels of libcarbo_cuda).

include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)

file(COPY ${APPLICATION}/ DESTINATION ${work}/source)

step(configure ${CMAKE_COMMAND} -S ${work}/source -B ${work}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
     -DCMAKE_CUDA_COMPILER=${NVCC} -DCMAKE_CUDA_HOST_COMPILER=${CXX} -DCMAKE_CUDA_ARCHITECTURES=75
     -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS=-Werror\ -Wall\ -Wextra
     "-DCMAKE_CUDA_FLAGS=-Werror=all-warnings -Xcompiler=-Werror,-Wall,-Wextra" -DCMAKE_PREFIX_PATH=${PREFIX}
     -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON)
step(build ${CMAKE_COMMAND} --build ${work}/build --parallel ${JOBS})
step(translate ${PYTHON} ${EMULATOR}/translate/build_modules.py --compiler ${CXX} --jobs ${JOBS} --output
     ${work}/modules ${work}/build/cuda_app)

set(candidates 2000)
set(budget 80000)
set(small --candidates ${candidates} --batch 8 --budget ${budget})
foreach(streams eager lazy)
  step("run with ${streams} streams" ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${STAND_INS} LD_BIND_NOW=1
       EMULATOR_MODULES=${work}/modules:${MODULES} EMULATOR_STREAMS=${streams} EMULATOR_WAITS=1
       ${work}/build/cuda_app --trace ${small})
  if(NOT output MATCHES "saved against EI: [+-][0-9]+ % of the budget")
    finish("unexpected output with ${streams} streams:\n${output}")
  endif()
  set(printed_${streams} "${output}")
  file(WRITE ${work}/${streams}.log "${errors}")
  step("waits with ${streams} streams" ${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/check_waits.py ${work}/${streams}.log)
  message(STATUS "${streams} streams: ${output}")
endforeach()
if(NOT printed_eager STREQUAL printed_lazy)
  finish("with eager streams:\n${printed_eager}\nwith lazy streams:\n${printed_lazy}")
endif()

file(WRITE ${work}/printed "${printed_lazy}")
step("results" ${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/check_results.py ${work}/printed ${candidates} ${budget})
message(STATUS "${output}")

# Nothing would be proved by checks that let everything pass.
file(READ ${work}/lazy.log waits)
set(wait "EMULATOR: wait: cudaStreamSynchronize, called from cuda_app\n")
set(own "application: candidates in play\n")
function(expect_waits_refused message log)
  file(WRITE ${work}/changed.log "${log}")
  expect_failure(1 "${message}" ${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/check_waits.py ${work}/changed.log)
endfunction()
expect_waits_refused("cuda_app calls cudaStreamSynchronize after 'wait ends" "${waits}${wait}")
expect_waits_refused("3 waits in 'application: candidates in play', not 2"
                     "${waits}wait begins: ${own}${wait}wait ends: ${own}")
expect_waits_refused("'application: the stream' is not documented"
                     "${waits}wait begins: application: the stream\n")
string(REGEX REPLACE "-[0-9]+[.][0-9]+" "-19.000" better "${printed_lazy}")
file(WRITE ${work}/printed "${better}")
expect_failure(1 "-19.000 was printed" ${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/check_results.py ${work}/printed
               ${candidates} ${budget})

set(without_device ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${STAND_INS} EMULATOR_DEVICES=0 ${work}/build/cuda_app)
step(help ${without_device} --help)
expect_failure(1 "cuda_app: .*cudaErrorNoDevice" ${without_device})
expect_failure(2 "--batch takes a whole number from 1 to 1024, not '0'" ${without_device} --batch 0)
message(STATUS "${printed_eager}")
file(REMOVE_RECURSE ${work})
