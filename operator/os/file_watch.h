// Waits until a file that another process writes changes, without reading it again and again: by
// inotify, so the writer must be on this machine.
//
// Thread-safety: one thread at a time.
// Errors: Of: kNotFound (no such file), kUnavailable (no inotify). Wait: none.
#pragma once

#include <optional>
#include <string>

#include "api/base/result.h"
#include "api/base/time.h"

namespace ballast::os {

class FileWatch {
 public:
  // Watches the file `path`, also if it is replaced by another of its name, and the one beside it
  // of that name and `suffix`, also if there is none yet.
  static Result<FileWatch> Of(const std::string& path, const std::string& suffix);
  FileWatch(FileWatch&& other) noexcept;
  FileWatch& operator=(FileWatch&&) = delete;
  ~FileWatch();

  enum class Wake { kChanged, kTimeout, kNoReader };
  // Returns when one of the files has changed since the call before, when `timeout` (absent: never)
  // has passed, or when whoever reads the pipe `output` has closed it.
  Wake Wait(std::optional<Duration> timeout, int output);

 private:
  FileWatch(int descriptor, std::string name, std::string suffix);
  // Whether one of the events that have come is about the files.
  bool Drain();

  int descriptor_;
  std::string name_;
  std::string suffix_;
};

}  // namespace ballast::os
