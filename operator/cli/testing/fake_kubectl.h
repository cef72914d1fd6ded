// A `kubectl` for tests: a shell script that comes first in $PATH while this object lives.
//
// Thread-safety: main thread only, as it sets the environment.
#pragma once

#include <string>

namespace ballast::cli::testing {

class FakeKubectl {
 public:
  explicit FakeKubectl(const std::string& script);
  ~FakeKubectl();
  FakeKubectl(const FakeKubectl&) = delete;
  FakeKubectl& operator=(const FakeKubectl&) = delete;

  // Where it is, as `kubectl`.
  const std::string& folder() const { return folder_; }

 private:
  const std::string folder_;
  const std::string path_;
};

}  // namespace ballast::cli::testing
