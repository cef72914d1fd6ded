// A temporary folder for one test, removed with its content.
//
// Thread-safety: owning thread only; the path may be used by any thread.
// Errors: none handled; if the folder cannot be created the test crashes.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace ballast::support {

class TempDir {
 public:
  TempDir() {
    std::string pattern = testing::TempDir() + "ballast-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }

  // Writes a file; returns its path.
  std::string Write(const std::string& name, const std::string& content) const {
    std::string file = path_ + "/" + name;
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }

 private:
  std::string path_;
};

}  // namespace ballast::support
