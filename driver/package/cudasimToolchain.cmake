# SPDX-License-Identifier: Apache-2.0
# For projects that stay as they are: cmake -DCMAKE_TOOLCHAIN_FILE=.../cmake/cudasim/cudasimToolchain.cmake
# makes CUDA's compiler and toolkit those of cudasim.
include("${CMAKE_CURRENT_LIST_DIR}/cudasimPaths.cmake")
if(cudasim_NOT_FOUND_MESSAGE)
  message(FATAL_ERROR "${cudasim_NOT_FOUND_MESSAGE}")
endif()
set(CMAKE_CUDA_COMPILER "${CUDASIM_CUDA_COMPILER}")
set(CUDAToolkit_ROOT "${cudasim_TOOLKIT_ROOT}")
# Programs find libcudasim where it is.
list(APPEND CMAKE_BUILD_RPATH "${_cudasim_libraries}")
