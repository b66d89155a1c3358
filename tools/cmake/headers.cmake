# SPDX-License-Identifier: BSD-3-Clause
# wick_check_headers(target folder): compiles every public header of include/<folder> by itself, .h as strict C99 and as C++20, .hpp
# as C++20. Parts that are only included by others (.def, .def.h) are left out, and C++ where no compiler for it is found.
include(CheckLanguage)
check_language(CXX)
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
endif()

function(wick_check_headers target folder)
  if(WICK_SANITIZE OR WICK_COVERAGE) # headers do not change with these
    return()
  endif()
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${WICK_ROOT}/include" "${WICK_ROOT}/include/${folder}/*.h"
       "${WICK_ROOT}/include/${folder}/*.hpp")
  list(FILTER headers EXCLUDE REGEX "\\.def\\.h$")
  set(sources "")
  foreach(header IN LISTS headers)
    set(languages cpp)
    if(header MATCHES "\\.h$")
      list(APPEND languages c)
    endif()
    foreach(language IN LISTS languages)
      set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/${header}.${language}")
      file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"${header}\"\n")
      if(language STREQUAL c OR CMAKE_CXX_COMPILER)
        list(APPEND sources "${source}")
      endif()
    endforeach()
  endforeach()
  add_library(${target}_headers OBJECT ${sources})
  target_link_libraries(${target}_headers PRIVATE ${target})
  set_target_properties(${target}_headers PROPERTIES C_EXTENSIONS OFF)
  target_compile_options(${target}_headers PRIVATE -Wall -Wextra -pedantic-errors -Werror
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>)
endfunction()
