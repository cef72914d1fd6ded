# Third-party libraries, all from Debian packages (.ci/packages), each under one target name.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS system)
find_package(cpprestsdk REQUIRED)
find_package(spdlog REQUIRED)
find_package(fmt REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)

# Debian's package of cctz says nothing to CMake.
find_library(CCTZ_LIBRARY cctz REQUIRED)
add_library(cctz INTERFACE IMPORTED)
target_link_libraries(cctz INTERFACE ${CCTZ_LIBRARY})
