# What this build tree holds, for people to read. Options are reported as they took effect.
message(STATUS "Carbo ${PROJECT_VERSION}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, ${CMAKE_BUILD_TYPE}")
list(JOIN CARBO_CPU_LEVELS ", " levels)
message(STATUS "  CPU backend:  built (Eigen ${Eigen3_VERSION}, ${CMAKE_SYSTEM_PROCESSOR} ${levels})")
message(STATUS "  CUDA backend: ${CARBO_CUDA_STATUS}")
message(STATUS "  Studies:      ${CARBO_STUDY_STATUS}")
message(STATUS "  Program:      ${CARBO_PROGRAM_STATUS}")
message(STATUS "  Python:       ${CARBO_PYTHON_STATUS}")
message(STATUS "  Sanitizers ${CARBO_SANITIZE}, sanitized tests ${CARBO_SANITIZED_TESTS}, warnings as errors ${CARBO_WERROR}, "
               "tests ${CARBO_TESTS}, benchmarks ${CARBO_BENCH}, examples ${CARBO_EXAMPLES}")
