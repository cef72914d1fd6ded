// Files that are being written, beside what they become. Only this program uses their names, so
// that what a killed process left can be told from what people keep in the same folder.
//
// Thread-safety: any thread. A PartialFile: one thread at a time.
#pragma once

#include <string>
#include <string_view>

namespace ballast::store {

// How the names of such files end.
inline constexpr std::string_view kPartial = ".ballast-partial";

// The file that becomes `path`.
std::string PartialOf(const std::string& path);

// The same, of this process alone.
std::string OwnPartialOf(const std::string& path);

bool IsPartial(const std::string& path);

// The checked copy that waits to take the place of the store (restore.h), and whether a file is
// one.
std::string WaitingFor(const std::string& store);
bool IsWaiting(const std::string& path);

// Removes those that became nothing, of the store at `path` and of what has its name and a dot in
// front. The writer of one that is being written fails.
void RemovePartials(const std::string& path);

// A file that is removed unless it was renamed, and before it is written.
class PartialFile {
 public:
  explicit PartialFile(std::string path);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace ballast::store
