# SPDX-License-Identifier: BSD-3-Clause
# wick_openmp: GNU's OpenMP runtime, which OpenBLAS and oneDNN run on: runtimes do not know of each other's threads, so that there
# must be one in the process. clang would bring LLVM's; it is only told to link GNU's (lib/expr/openmp.h does the rest).
include_guard(DIRECTORY)
if(NOT TARGET wick_openmp)
  add_library(wick_openmp INTERFACE IMPORTED)
  if(CMAKE_C_COMPILER_ID MATCHES "Clang")
    target_link_options(wick_openmp INTERFACE -fopenmp=libgomp)
  else()
    find_package(OpenMP REQUIRED COMPONENTS C)
    target_link_libraries(wick_openmp INTERFACE OpenMP::OpenMP_C)
  endif()
endif()
