#include "operator/cli/testing/fake_kubectl.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ballast::cli::testing {

FakeKubectl::FakeKubectl(const std::string& script)
    : folder_(::testing::TempDir() + "fake_kubectl_" + std::to_string(getpid())),
      path_(std::getenv("PATH")) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ + "/kubectl") << script;
  std::filesystem::permissions(folder_ + "/kubectl", std::filesystem::perms::owner_all);
  setenv("PATH", (folder_ + ":" + path_).c_str(), 1);
}

FakeKubectl::~FakeKubectl() {
  setenv("PATH", path_.c_str(), 1);
  std::filesystem::remove_all(folder_);
}

}  // namespace ballast::cli::testing
