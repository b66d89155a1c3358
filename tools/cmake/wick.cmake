# SPDX-License-Identifier: BSD-3-Clause
# What every library's CMakeLists.txt shares, alone or in the tree. Included right after project().
include_guard(DIRECTORY)
cmake_policy(SET CMP0077 NEW)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_filename_component(WICK_ROOT "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
option(WICK_TESTS "Build the tests" ON)
option(WICK_WERROR "Make warnings errors" OFF)
set(WICK_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them (address,undefined or thread)")
option(WICK_COVERAGE "Instrument for gcov" OFF)
option(WICK_FUZZ "Build the fuzzers as programs that search (clang)" OFF)
option(WICK_LAST_ISA_ALONE "Compile kernels for the baseline alone: a third of the time, and sanitizers find the same" OFF)
if(WICK_LAST_ISA_ALONE)
  add_compile_definitions(TH_LAST_ISA_ALONE)
endif()
find_program(WICK_CCACHE ccache)
if(WICK_CCACHE AND NOT CMAKE_C_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${WICK_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${WICK_CCACHE}")
endif()
if(WICK_TESTS)
  include("${CMAKE_CURRENT_LIST_DIR}/headers.cmake")
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

# Flags of our own sources: hidden symbols, warnings, sanitizers.
function(wick_internal target)
  set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
                                             VISIBILITY_INLINES_HIDDEN ON)
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wvla -Wshadow
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes> $<$<BOOL:${WICK_WERROR}>:-Werror>
    # gcc 12 warns about "literal" + std::string (gcc bug 105651).
    $<$<AND:$<BOOL:${WICK_WERROR}>,$<COMPILE_LANG_AND_ID:CXX,GNU>>:-Wno-error=restrict>)
  wick_instrument(${target})
endfunction()

function(wick_instrument target)
  if(WICK_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${WICK_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
    target_link_options(${target} PUBLIC -fsanitize=${WICK_SANITIZE})
  endif()
  if(WICK_COVERAGE)
    # Threads count too; racing counters come out negative.
    target_compile_options(${target} PRIVATE --coverage -fprofile-update=atomic)
    target_link_options(${target} PUBLIC --coverage)
  endif()
endfunction()

# wick_library(name soname): a shared library `name` with the stated soname number, its symbol map <name>.map beside the
# CMakeLists.txt, and install rules: headers, CMake package, pkg-config file.
# Dependencies to be found by users of the installed package: PACKAGES (CMake) and REQUIRES (pkg-config).
function(wick_library name)
  cmake_parse_arguments(arg "" "SOVERSION;HEADERS;DESCRIPTION" "SOURCES;PACKAGES;REQUIRES" ${ARGN})
  add_library(${name} SHARED ${arg_SOURCES})
  add_library(${name}::${name} ALIAS ${name})
  wick_internal(${name})
  set(map "${CMAKE_CURRENT_SOURCE_DIR}/${name}.map")
  set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${arg_SOVERSION} LINK_DEPENDS "${map}"
                                           INSTALL_RPATH "$ORIGIN") # installed libraries find each other wherever they lie
  target_link_options(${name} PRIVATE "-Wl,--version-script=${map}" -Wl,-Bsymbolic-functions
    -Wl,-z,nodelete) # threads and fork handlers may outlive a dlclose
  # A library that is loaded at run time would get each thread's variables on first use, where glibc aborts without memory. They are
  # small enough to be set up with the thread.
  # Functions of a library call each other directly, as -Bsymbolic-functions has it: the compiler may inline what it sees.
  target_compile_options(${name} PRIVATE -ftls-model=initial-exec -fno-semantic-interposition)
  if(NOT WICK_SANITIZE)
    target_link_options(${name} PRIVATE -Wl,--no-undefined)
  endif()
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${WICK_ROOT}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                                     PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}" "${WICK_ROOT}/lib")
  if(WICK_TESTS)
    wick_check_headers(${name} ${arg_HEADERS})
  endif()
  install(TARGETS ${name} EXPORT ${name}Targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY "${WICK_ROOT}/include/${arg_HEADERS}" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT ${name}Targets NAMESPACE ${name}:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/${name})
  set(find_packages "")
  foreach(p IN LISTS arg_PACKAGES)
    string(APPEND find_packages "find_dependency(${p})\n")
  endforeach()
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/${name}Config.cmake"
    "include(CMakeFindDependencyMacro)\n${find_packages}include(\"\${CMAKE_CURRENT_LIST_DIR}/${name}Targets.cmake\")\n")
  write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/${name}ConfigVersion.cmake" VERSION ${PROJECT_VERSION}
                                   COMPATIBILITY SameMinorVersion)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${name}Config.cmake" "${CMAKE_CURRENT_BINARY_DIR}/${name}ConfigVersion.cmake"
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/${name})
  list(JOIN arg_REQUIRES " " requires)
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc"
"prefix=\${pcfiledir}/${up}
libdir=\${prefix}/${CMAKE_INSTALL_LIBDIR}
includedir=\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}

Name: ${name}
Description: ${arg_DESCRIPTION}
Version: ${PROJECT_VERSION}
Requires: ${requires}
Cflags: -I\${includedir}
Libs: -L\${libdir} -l${name}
")
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
