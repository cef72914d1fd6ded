#include "tests/conformance/vectors.h"

#include <zlib.h>

#include <array>
#include <sstream>

namespace ballast::testing {

Result<std::vector<std::string>> ReadGzipLines(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) {
    return Error{Code::kNotFound, "cannot read " + path};
  }
  std::string text;
  std::array<char, 65536> block;
  int read = 0;
  while ((read = gzread(file, block.data(), block.size())) > 0) {
    text.append(block.data(), static_cast<std::size_t>(read));
  }
  if (gzclose(file) != Z_OK || read < 0) {
    return Error{Code::kCorrupt, "damaged: " + path};
  }
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace ballast::testing
