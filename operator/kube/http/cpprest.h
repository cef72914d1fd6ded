// cpprestsdk's headers, for rest_client.cc only, which precompiles them.
//
// Thread-safety: the library's.
// Errors: the library throws; rest_client.cc catches.
#pragma once

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wextra"
#include <cpprest/http_client.h>
#include <pplx/threadpool.h>

#include <boost/asio/ssl/context.hpp>
#pragma GCC diagnostic pop
