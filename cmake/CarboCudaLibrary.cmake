# How libcarbo finds libcarbo_cuda, and where CUDA is built that library itself: host code and kernels behind two
# functions that libcarbo looks up when a program asks for the backend.

# A stamp of all that crosses between the two, so that libraries of different sources refuse each other.
file(GLOB shared_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src/backend/*.hpp)
list(APPEND shared_headers
    include/carbo/array.hpp include/carbo/options.hpp include/carbo/cost.hpp include/carbo/space.hpp
    include/carbo/error.hpp include/carbo/transform.hpp include/carbo/acquisition.hpp include/carbo/acquisition_table.h
    include/carbo/memory_plan.hpp kernels/acquisition/spec.hpp src/sampling/sobol_points.hpp
    kernels/formulas/axis_map.hpp kernels/formulas/philox.hpp kernels/formulas/sobol.hpp
    kernels/formulas/sobol_directions.hpp)
set(hashes)
foreach(header IN LISTS shared_headers)
  file(SHA256 ${PROJECT_SOURCE_DIR}/${header} hash)
  string(APPEND hashes ${hash})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${header})
endforeach()
string(SHA256 hash ${hashes})
string(SUBSTRING ${hash} 0 12 hash)
set(CARBO_CUDA_STAMP "carbo ${PROJECT_VERSION}, interface ${hash}")

include(GNUInstallDirs)
set_source_files_properties(
  ${PROJECT_SOURCE_DIR}/src/backend/cuda_library.cpp
  PROPERTIES
    COMPILE_DEFINITIONS
    "CARBO_CUDA_STAMP=\"${CARBO_CUDA_STAMP}\";CARBO_CUDA_SONAME=\"${CMAKE_SHARED_LIBRARY_PREFIX}carbo_cuda${CMAKE_SHARED_LIBRARY_SUFFIX}.${CARBO_SOVERSION}\";CARBO_LIBRARY_FOLDER=\"${CMAKE_INSTALL_FULL_LIBDIR}\""
)
if(NOT CARBO_CUDA_BUILT)
  return()
endif()

file(GLOB_RECURSE host_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/backend/cuda/*.cpp)
file(GLOB kernel_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/launch/*.cu)
add_library(carbo_cuda SHARED ${host_sources} ${kernel_sources})
add_library(carbo::cuda ALIAS carbo_cuda)
carbo_unity(carbo_cuda)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/backend/cuda/plugin.cpp
                            PROPERTIES COMPILE_DEFINITIONS "CARBO_CUDA_STAMP=\"${CARBO_CUDA_STAMP}\"")

set(host_options ${CARBO_COMPILE_OPTIONS} ${CARBO_SANITIZER_OPTIONS} ${CARBO_WARNING_OPTIONS})
# CMake knows no C++20 for nvcc before 3.26, so the dialect is given by hand.
string(REPLACE ";" "," nvcc_host_options "${host_options}")
# Without contraction: see kernels/formulas/multiply_add.hpp.
set(nvcc_options -std=c++20 -fmad=false -Xcompiler=${nvcc_host_options})
if(CARBO_WERROR)
  list(APPEND nvcc_options -Werror=all-warnings)
endif()
target_compile_options(carbo_cuda PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${host_options}>"
                                          "$<$<COMPILE_LANGUAGE:CUDA>:${nvcc_options}>")
target_compile_features(carbo_cuda PRIVATE cxx_std_20)
target_include_directories(carbo_cuda PRIVATE ${CARBO_PRIVATE_INCLUDES})
target_link_libraries(carbo_cuda PRIVATE carbo CUDA::cudart CUDA::cublas CUDA::cusolver)
# What it takes of libcarbo is its own business. RUNPATH, unlike RPATH, leaves the last word to LD_LIBRARY_PATH.
target_link_options(carbo_cuda PRIVATE LINKER:--exclude-libs,ALL LINKER:--no-undefined LINKER:--as-needed
                    LINKER:--enable-new-dtags)
# Programs that link it want it at run time, though they call nothing of it themselves.
target_link_options(carbo_cuda INTERFACE LINKER:--no-as-needed)
set_target_properties(
  carbo_cuda
  PROPERTIES VERSION ${PROJECT_VERSION}
             SOVERSION ${CARBO_SOVERSION}
             EXPORT_NAME cuda
             CUDA_RUNTIME_LIBRARY Shared
             INSTALL_RPATH_USE_LINK_PATH ON)

# For a wheel of its own (python/cuda13): beside the Python package's module, where libcarbo looks for it, and with
# NVIDIA's wheels in sight. One file: a wheel has no links.
option(CARBO_CUDA_WHEEL "Make libcarbo_cuda find NVIDIA's libraries where their wheels are" OFF)
if(CARBO_CUDA_WHEEL)
  set_target_properties(carbo_cuda PROPERTIES INSTALL_RPATH "$ORIGIN/../nvidia/cu13/lib" BUILD_WITH_INSTALL_RPATH ON
                                              INSTALL_RPATH_USE_LINK_PATH OFF)
  target_link_options(carbo_cuda PRIVATE -static-libstdc++ -shared-libgcc)
  install(PROGRAMS $<TARGET_FILE:carbo_cuda> DESTINATION carbo RENAME $<TARGET_SONAME_FILE_NAME:carbo_cuda>
          COMPONENT python_cuda EXCLUDE_FROM_ALL)
endif()
