// record_golden ROOT: records what this version of the engine decides, in ROOT/<version>: the
// snapshots of the newest folder, and those of policies.h that it does not have yet. A version that
// is recorded already only gains snapshots; where it decides one of its own otherwise, nothing is
// written and the status is 1.
#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "api/decision/engine_version.h"
#include "tests/golden/golden.h"
#include "tests/golden/policies.h"

namespace ballast::golden {
namespace {

int Fail(const std::string& message) {
  std::cerr << message << "\n";
  return 1;
}

int Record(const std::filesystem::path& root) {
  const auto versions = Versions(root);
  const std::int64_t newest = versions.empty() ? 0 : versions.rbegin()->first;
  const std::string present = std::to_string(engine::kEngineVersion);
  if (newest > engine::kEngineVersion) {
    return Fail("the engine is version " + present + ", and " + std::to_string(newest) +
                " is recorded already");
  }
  auto lines = ReadFolder(root / std::to_string(newest));
  if (!lines.ok()) {
    return Fail(lines.error().message);
  }
  std::set<std::string> known;
  for (const Line& line : *lines) {
    if (newest == engine::kEngineVersion && Decide(line) != line.decision) {
      return Fail("version " + present + " is recorded already and decided otherwise (" +
                  line.snapshot.id + "): raise kEngineVersion in api/decision/engine_version.h");
    }
    known.insert(line.snapshot.id);
  }
  for (Line& line : Policies()) {
    if (known.insert(line.snapshot.id).second) {
      lines->push_back(std::move(line));
    }
  }
  WriteFolder(root / present, *lines);
  std::cout << lines->size() << " snapshots in " << (root / present).string() << "\n";
  return 0;
}

}  // namespace
}  // namespace ballast::golden

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: record_golden ROOT\n";
    return 2;
  }
  return ballast::golden::Record(argv[1]);
}
