// Waits for what an evaluation has to wait for, where the Controller goes on with others.
//
// Thread-safety: any thread.
#pragma once

#include <future>
#include <memory>
#include <utility>

#include "operator/controllers/ports.h"
#include "operator/controllers/requests.h"

namespace ballast::controllers {

// `start` begins to read, and calls the function that it is given once.
template <typename Start>
MetricsAnswer Await(const Start& start) {
  const auto told = std::make_shared<std::promise<MetricsAnswer>>();
  start([told](MetricsAnswer answer) { told->set_value(std::move(answer)); });
  return told->get_future().get();
}

inline MetricsAnswer Read(SnapshotSource& source, const FetchMetrics& request) {
  return Await([&](auto done) { source.Start(request, std::move(done)); });
}

}  // namespace ballast::controllers
