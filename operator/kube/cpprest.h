// cpprestsdk, for rest_client.cc alone, which includes it precompiled.
//
// Thread-safety: the library's.
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
