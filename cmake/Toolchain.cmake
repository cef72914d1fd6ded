# How everything is compiled: language level, warnings, floating point, sanitizers, ccache.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

option(BALLAST_WERROR "Treat warnings as errors" OFF)
option(BALLAST_FUZZ "Build the fuzz targets (needs clang)" OFF)
set(BALLAST_SANITIZE "" CACHE STRING "Sanitizers to build with: address,undefined or thread")

add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor)
# Designated initializers leave out what keeps its default; that is their point.
add_compile_options(-Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC 12 sees overlapping copies in string concatenation where there are none (GCC bug 105651).
  add_compile_options(-Wno-restrict)
endif()
add_compile_definitions(BALLAST_VERSION="${PROJECT_VERSION}")
if(BALLAST_WERROR)
  add_compile_options(-Werror)
endif()

# Decisions must equal those of Go on amd64 to the last bit: plain IEEE doubles, nothing fused.
add_compile_options(-ffp-contract=off)

if(BALLAST_SANITIZE)
  add_compile_options(-fsanitize=${BALLAST_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  # Instrumented code takes twice as long to optimise fully; lines are all that a report needs.
  add_compile_options(-O1 -g1)
  add_link_options(-fsanitize=${BALLAST_SANITIZE})
  if(BALLAST_SANITIZE MATCHES thread)
    # GCC's TSan does not model fences; Asio then uses atomics it understands.
    add_compile_definitions(BOOST_ASIO_DISABLE_FENCED_BLOCK)
    add_compile_options(-Wno-tsan)
  endif()
endif()
if(BALLAST_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # The sloppiness is what precompiled headers need; the base folder lets checkouts share results.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()
