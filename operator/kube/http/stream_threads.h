// The threads on which all of a Transport's streams are read: a fixed number, however many there
// are.
//
// Thread-safety: any thread.
// Errors: the constructor throws std::system_error if there are no more threads or files.
#pragma once

#include <memory>

namespace ballast::kube {

struct StreamContext;

class StreamThreads {
 public:
  StreamThreads();
  // Call it when there are no more streams.
  ~StreamThreads();

  StreamContext& context() { return *context_; }

 private:
  const std::unique_ptr<StreamContext> context_;
};

}  // namespace ballast::kube
