// Test support: a source of type Prometheus, and what it answers.
#pragma once

#include <chrono>
#include <string>

#include "operator/sources/source_file.h"

namespace ballast::sources {

// An instant vector with one sample, whose value is 3.
inline constexpr const char* kThree =
    R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1772625600,"3"]}]}})";

// The source "main", which the namespace shop may ask for as long as a test lasts.
inline PrometheusSource MainSource(const std::string& server) {
  PrometheusSource source;
  source.name = "main";
  source.namespaces = {{"shop"}};
  source.connection.server = server;
  source.timeout = std::chrono::minutes(10);
  return source;
}

}  // namespace ballast::sources
