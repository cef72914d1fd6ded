#include "operator/os/file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace ballast::os {

Result<std::string> ReadFile(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  if (file && content << file.rdbuf()) {
    return std::move(content).str();
  }
  const int problem = errno;
  const Code code = problem == ENOENT   ? Code::kNotFound
                    : problem == EACCES ? Code::kForbidden
                                        : Code::kUnavailable;
  return Error{code,
               path + ": " + (problem == 0 ? "is empty or unreadable" : std::strerror(problem))};
}

}  // namespace ballast::os
