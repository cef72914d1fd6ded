// The inside of StreamThreads. Include it only in sources that precompile Beast.
//
// Thread-safety: any thread.
#pragma once

#include <thread>
#include <vector>

#include "operator/kube/http/stream_threads.h"
#include "operator/net/beast.h"

namespace ballast::kube {

struct StreamThreads::Context {
  boost::asio::io_context io{2};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> more{io.get_executor()};
  std::vector<std::jthread> threads;
};

}  // namespace ballast::kube
