# Writes HEADER, which defines BALLAST_COMMIT as a string, from the checkout SOURCE: cmake -DSOURCE=...
# -DHEADER=... -P Commit.cmake. The environment's BALLAST_COMMIT counts instead, for sources that are
# no checkout. An unchanged header is not touched.
cmake_minimum_required(VERSION 3.25)
set(commit "$ENV{BALLAST_COMMIT}")
if(NOT commit)
  execute_process(COMMAND git --no-optional-locks describe --always --dirty --abbrev=40 --exclude=*
                  WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE commit
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit MATCHES "^[0-9a-zA-Z.-]+$")
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#pragma once\n#define BALLAST_COMMIT \"@commit@\"\n" @ONLY)
