# How everything is compiled: language level, warnings, floating point, sanitizers, ccache.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

option(BALLAST_ASSERTIONS "Keep assertions in optimised builds too" ON)
if(BALLAST_ASSERTIONS)
  foreach(type RELEASE RELWITHDEBINFO)
    string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_${type} "${CMAKE_CXX_FLAGS_${type}}")
  endforeach()
  # The program's own. One of Beast's is wrong (operator/net/CMakeLists.txt), and servers decide when.
  add_compile_definitions($<$<NOT:$<CONFIG:Debug>>:BOOST_DISABLE_ASSERTS>)
endif()

option(BALLAST_WERROR "Treat warnings as errors" OFF)
option(BALLAST_FUZZ "Build the fuzz targets (needs clang)" OFF)
set(BALLAST_SANITIZE "" CACHE STRING "Sanitizers to build with: address,undefined or thread")

add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor)
# Designated initializers deliberately omit members that keep their defaults.
add_compile_options(-Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # What GCC 12 believes about strings' memory depends on what it happens to inline, and is wrong
  # (GCC bug 105651 is one of several); the sanitizers see what is right.
  add_compile_options(-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  # The compiler collects its own garbage from 128 MB on, in a tenth of its time; up to 1 GB it need not.
  add_compile_options("SHELL:--param ggc-min-heapsize=1000000")
endif()
add_compile_definitions(BALLAST_VERSION="${PROJECT_VERSION}")
if(BALLAST_WERROR)
  add_compile_options(-Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # What GCC 12 believes uninitialised depends on what it happens to inline; it errs with strings
    # in aggregates.
    add_compile_options(-Wno-error=maybe-uninitialized)
  endif()
endif()

# Decisions must equal those of Go on amd64 to the last bit: IEEE doubles without fused operations.
add_compile_options(-ffp-contract=off)

if(BALLAST_SANITIZE)
  add_compile_options(-fsanitize=${BALLAST_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # Full optimisation of instrumented code takes twice as long; reports need line numbers only.
  add_compile_options(-O1 -g1)
  if(BALLAST_SANITIZE MATCHES undefined AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # A third of the time of compiling goes into what ASan sees too (null, sizes) and what this code
    # does not do (casts down, unaligned access). The fuzz targets, built with clang, keep them.
    add_compile_options(-fno-sanitize=null,object-size,vptr,alignment)
  endif()
  add_link_options(-fsanitize=${BALLAST_SANITIZE})
  find_program(LLD ld.lld)
  if(LLD)
    add_link_options(-fuse-ld=lld)  # links the hundred tests three times as fast
  endif()
  if(BALLAST_SANITIZE MATCHES thread)
    # GCC's TSan does not model fences; without them Asio uses atomics, which it does.
    add_compile_definitions(BOOST_ASIO_DISABLE_FENCED_BLOCK)
    add_compile_options(-Wno-tsan)
  endif()
endif()
if(BALLAST_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # Precompiled headers need the sloppiness, and the inode cache, without which a hit takes four times as long: they
  # are large, and hashed for each source. The base folder lets several checkouts share results, for which assertions
  # must not name the checkout either.
  add_compile_options(-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_INODECACHE=1 CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()
