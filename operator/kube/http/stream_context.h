// What StreamThreads (stream_threads.h) runs. Include it only in sources that precompile Beast.
//
// Thread-safety: any thread.
#pragma once

#include <thread>
#include <vector>

#include "operator/net/beast.h"

namespace ballast::kube {

struct StreamContext {
  boost::asio::io_context io{2};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> more{io.get_executor()};
  std::vector<std::jthread> threads;
};

}  // namespace ballast::kube
