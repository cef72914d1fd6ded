// Waits for what an evaluation has to wait for, where the Controller goes on with others.
//
// Thread-safety: any thread.
#pragma once

#include <future>
#include <memory>
#include <utility>

#include "operator/session/ports.h"
#include "operator/session/requests.h"

namespace ballast::controllers {

// `start` begins to read, and calls the function that it is given once.
template <typename Start>
session::MetricsAnswer Await(const Start& start) {
  const auto told = std::make_shared<std::promise<session::MetricsAnswer>>();
  start([told](session::MetricsAnswer answer) { told->set_value(std::move(answer)); });
  return told->get_future().get();
}

inline session::MetricsAnswer Read(session::SnapshotSource& source,
                                   const session::FetchMetrics& request) {
  return Await([&](auto done) { source.Start(request, std::move(done)); });
}

}  // namespace ballast::controllers
