# SPDX-License-Identifier: BSD-3-Clause
# wick_tests(prefix libraries...): every test_<stem>.c or .cpp beside the CMakeLists.txt becomes a program and a ctest case
# "<prefix>.<stem>", linked with the libraries.
include_guard(DIRECTORY)
# Threads that wait by spinning would steal the few cores from the other tests; and sanitizers, which end the process where memory cannot be
# had, are to fail as the system does.
set(WICK_TEST_ENVIRONMENT "OMP_WAIT_POLICY=passive;ASAN_OPTIONS=allocator_may_return_null=1;TSAN_OPTIONS=allocator_may_return_null=1")
function(wick_tests prefix)
  file(GLOB sources CONFIGURE_DEPENDS test_*.c test_*.cpp)
  foreach(source IN LISTS sources)
    get_filename_component(stem "${source}" NAME_WE)
    string(REPLACE "test_" "" stem "${stem}")
    set(target ${prefix}_test_${stem})
    add_executable(${target} "${source}")
    wick_internal(${target})
    target_include_directories(${target} PRIVATE "${WICK_ROOT}/test")
    target_link_libraries(${target} PRIVATE ${ARGN} m)
    add_test(NAME ${prefix}.${stem} COMMAND ${target})
    set_tests_properties(${prefix}.${stem} PROPERTIES LABELS "${prefix};${stem}" TIMEOUT 300
                                                      ENVIRONMENT "${WICK_TEST_ENVIRONMENT}")
  endforeach()
endfunction()
