# One target per folder, with DEPS that are enforced: a target sees only the folders that it or its
# dependencies name. There is no include path to the root of the repository; each folder is reached
# through a symbolic link of its own, so a forbidden #include does not compile.

# Links of an earlier configuration: one in the place of a present folder would lead into the
# sources.
file(REMOVE_RECURSE ${PROJECT_BINARY_DIR}/include)

# ballast_folder(TARGET SCOPE): lets TARGET include the calling folder as <path from the root>/...;
# with the scope PUBLIC or INTERFACE also the targets that link it.
function(ballast_folder target scope)
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set(root ${PROJECT_BINARY_DIR}/include/${target})
  cmake_path(GET path PARENT_PATH parent)
  file(MAKE_DIRECTORY ${root}/${parent})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/${path} SYMBOLIC)
  target_include_directories(${target} ${scope} ${root})
endfunction()

# The standard library's headers, precompiled once for all sources of the program. Clang, which builds
# the fuzz targets, does without, so that a missing #include is found.
add_library(standard_headers OBJECT ${CMAKE_CURRENT_LIST_DIR}/headers_only.cc)
target_precompile_headers(
  standard_headers PRIVATE
  <algorithm> <array> <atomic> <chrono> <compare> <condition_variable> <cstddef> <cstdint>
  <functional> <limits> <map> <memory> <mutex> <optional> <set> <span> <stop_token> <string>
  <string_view> <thread> <unordered_map> <utility> <variant> <vector>)

# How many sources of a target are compiled at once. Six save a third of the time of a build from
# nothing, and twelve a tenth of the rest; one by one is quicker after a change.
set(BALLAST_BATCH 1 CACHE STRING "sources of a target that are compiled at once")

# ballast_compile_in_batches(TARGET sources...): compiles several of TARGET's sources at once, but for these.
function(ballast_compile_in_batches target)
  if(BALLAST_BATCH GREATER 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${BALLAST_BATCH})
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# ballast_library(NAME name [SRCS ...] [ALONE ...] [DEPS targets used in headers too] [PRIVATE_DEPS ...])
# SRCS may be compiled several at once, so two of them must not declare the same name for themselves.
# ALONE are sources that do (subcommands, each of which has its own Options and Run), one that has
# types of its own in a class that a header names, and those in whose place a program has others.
function(ballast_library)
  cmake_parse_arguments(arg "" "NAME" "SRCS;ALONE;DEPS;PRIVATE_DEPS" ${ARGN})
  if(arg_SRCS)
    add_library(${arg_NAME} STATIC ${arg_SRCS} ${arg_ALONE})
    ballast_compile_in_batches(${arg_NAME} ${arg_ALONE})
    ballast_folder(${arg_NAME} PUBLIC)
    target_link_libraries(${arg_NAME} PUBLIC ${arg_DEPS} PRIVATE ${arg_PRIVATE_DEPS})
  else()
    add_library(${arg_NAME} INTERFACE)
    ballast_folder(${arg_NAME} INTERFACE)
    target_link_libraries(${arg_NAME} INTERFACE ${arg_DEPS})
  endif()
  if(arg_SRCS)
    target_precompile_headers(${arg_NAME} REUSE_FROM standard_headers)
  endif()
  add_library(ballast::${arg_NAME} ALIAS ${arg_NAME})
endfunction()

# ballast_executable(NAME name SRCS ... DEPS ...): the program goes to the top of the build folder.
function(ballast_executable)
  cmake_parse_arguments(arg "" "NAME" "SRCS;DEPS" ${ARGN})
  add_executable(${arg_NAME} ${arg_SRCS})
  ballast_folder(${arg_NAME} PRIVATE)
  target_link_libraries(${arg_NAME} PRIVATE ${arg_DEPS})
  set_target_properties(${arg_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endfunction()

# For targets with precompiled headers of their own whose code mostly waits: optimising Beast's and
# cpprestsdk's templates takes a fifth of the time of a build with sanitizers, and gains nothing there.
function(ballast_sanitize_unoptimised)
  if(BALLAST_SANITIZE)
    foreach(target IN LISTS ARGN)
      target_compile_options(${target} PRIVATE -O0)
    endforeach()
  endif()
endfunction()

# Tests are lists of expectations: full optimisation takes half as long again, and gains nothing.
function(ballast_compile_as_test target)
  ballast_sanitize_unoptimised(${target})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# The headers that every test includes, precompiled once for all.
add_library(test_headers OBJECT ${CMAKE_CURRENT_LIST_DIR}/headers_only.cc)
target_link_libraries(test_headers PRIVATE GTest::gmock)
target_precompile_headers(test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
ballast_compile_as_test(test_headers)

# The tests that may fail once, since they meet sockets, processes and clocks: the label `real`.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/real_tests)
file(STRINGS ${PROJECT_SOURCE_DIR}/tests/real_tests BALLAST_REAL_TESTS REGEX "^[a-z]")

# ballast_label_test(NAME label...): gives the test its labels, and `real` if the list has it.
function(ballast_label_test name)
  if(name IN_LIST BALLAST_REAL_TESTS)
    list(APPEND ARGN real)
    set_property(GLOBAL APPEND PROPERTY BALLAST_REAL_TESTS ${name})
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${ARGN}")
endfunction()

# The tests that need a control plane of which only the long run has them: the label `long`, else `cluster`.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/long_tests)
file(STRINGS ${PROJECT_SOURCE_DIR}/tests/long_tests BALLAST_LONG_TESTS REGEX "^[a-z]")
list(TRANSFORM BALLAST_LONG_TESTS REPLACE " .*" "")

# ballast_label_cluster_test(NAME more labels...)
function(ballast_label_cluster_test name)
  if(name IN_LIST BALLAST_LONG_TESTS)
    ballast_label_test(${name} long ${ARGN})
  else()
    ballast_label_test(${name} cluster ${ARGN})
    set_property(GLOBAL APPEND PROPERTY BALLAST_GATE_TESTS ${name})
  endif()
endfunction()

# ballast_share_plane(NAME PLANE): the test runs on a control plane that is started for a
# run, and that the tests of the same PLANE share (tests/cluster lists these).
function(ballast_share_plane name plane)
  set_property(TEST ${name} APPEND PROPERTY FIXTURES_REQUIRED plane.${plane})
  set_property(TEST ${name} APPEND PROPERTY
    ENVIRONMENT BALLAST_TEST_PLANE=${PROJECT_BINARY_DIR}/planes/${plane})
  set_property(GLOBAL APPEND PROPERTY BALLAST_SHARING_TESTS ${name})
endfunction()

# ballast_test(NAME name SRCS ... [ALONE ...] DEPS ... [DATA dir] [LABELS ...]): a GoogleTest program; its label
# is `unit` unless given; the target <label>_tests builds all of a label. DATA is passed as the environment variable
# BALLAST_TEST_DATA. SRCS and ALONE are as in ballast_library: ALONE are sources that name something as another one does.
function(ballast_test)
  cmake_parse_arguments(arg "" "NAME;DATA" "SRCS;ALONE;DEPS;LABELS" ${ARGN})
  add_executable(${arg_NAME} ${arg_SRCS} ${arg_ALONE})
  ballast_compile_in_batches(${arg_NAME} ${arg_ALONE})
  ballast_folder(${arg_NAME} PRIVATE)
  target_link_libraries(${arg_NAME} PRIVATE ${arg_DEPS} GTest::gmock GTest::gtest_main)
  ballast_compile_as_test(${arg_NAME})
  target_precompile_headers(${arg_NAME} REUSE_FROM test_headers)
  add_test(NAME ${arg_NAME} COMMAND ${arg_NAME})
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  ballast_label_test(${arg_NAME} ${arg_LABELS})
  foreach(label IN LISTS arg_LABELS)
    if(NOT TARGET ${label}_tests)
      add_custom_target(${label}_tests)
    endif()
    add_dependencies(${label}_tests ${arg_NAME})
  endforeach()
  if(arg_DATA)
    set_tests_properties(${arg_NAME} PROPERTIES ENVIRONMENT BALLAST_TEST_DATA=${arg_DATA})
  endif()
endfunction()

# Builds all fuzz targets.
add_custom_target(fuzzers)

# ballast_fuzz(NAME name SRCS ... DEPS ... [CORPUS dir]): a libFuzzer program. CTest runs it with a
# fixed seed and number of inputs, so that a failure is due to a change rather than to chance; to
# search further run the program itself. New inputs go to corpus/ in the build folder. Where there
# is no libFuzzer but a sanitizer of memory, the same function runs with blind changes of the corpus.
function(ballast_fuzz)
  cmake_parse_arguments(arg "" "NAME;CORPUS" "SRCS;DEPS" ${ARGN})
  if(NOT BALLAST_FUZZ AND NOT BALLAST_SANITIZE MATCHES address)
    return()
  endif()
  add_executable(${arg_NAME} ${arg_SRCS})
  target_link_libraries(${arg_NAME} PRIVATE ${arg_DEPS})
  add_dependencies(fuzzers ${arg_NAME})
  if(NOT BALLAST_FUZZ)
    target_link_libraries(${arg_NAME} PRIVATE mutate_main)
    add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} ${arg_CORPUS})
    set_tests_properties(${arg_NAME} PROPERTIES LABELS sanitized)
    return()
  endif()
  target_link_options(${arg_NAME} PRIVATE -fsanitize=fuzzer)
  add_test(NAME ${arg_NAME}
           COMMAND ${arg_NAME} -seed=1 -runs=2000 -timeout=30 -rss_limit_mb=2048
                   ${PROJECT_BINARY_DIR}/corpus/${arg_NAME} ${arg_CORPUS})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/corpus/${arg_NAME})
  set_tests_properties(${arg_NAME} PROPERTIES LABELS fuzz)
endfunction()

# The main function of the fuzz programs where there is no libFuzzer.
if(NOT BALLAST_FUZZ AND BALLAST_SANITIZE MATCHES address)
  add_library(mutate_main OBJECT ${CMAKE_CURRENT_LIST_DIR}/../tests/fuzz/mutate_main.cc)
endif()

# ballast_bench(NAME name SRCS ... DEPS ...): Google Benchmark; run by `make bench`, not by CTest.
function(ballast_bench)
  cmake_parse_arguments(arg "" "NAME" "SRCS;DEPS" ${ARGN})
  add_executable(${arg_NAME} ${arg_SRCS})
  ballast_folder(${arg_NAME} PRIVATE)
  target_link_libraries(${arg_NAME} PRIVATE ${arg_DEPS} benchmark::benchmark_main)
  target_precompile_headers(${arg_NAME} REUSE_FROM standard_headers)
endfunction()
