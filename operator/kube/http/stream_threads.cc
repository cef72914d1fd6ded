#include "operator/kube/http/stream_threads.h"

#include "operator/kube/http/stream_context.h"
#include "operator/os/thread_name.h"

namespace ballast::kube {

namespace {

// Two, so that a list of many objects holds up the other streams little.
constexpr int kThreads = 2;

}  // namespace

StreamThreads::StreamThreads() : context_(std::make_unique<StreamContext>()) {
  for (int number = 0; number < kThreads; ++number) {
    context_->threads.emplace_back([&io = context_->io, number] {
      os::NameThisThread("streams-" + std::to_string(number));
      io.run();
    });
  }
}

StreamThreads::~StreamThreads() {
  context_->more.reset();
  context_->io.stop();
  context_->threads.clear();
}

}  // namespace ballast::kube
