// The golden corpus: snapshots of policies, each with what one version of the engine decided.
//
// One folder for each version (tests/golden/1), in it NDJSON files of {"snapshot", "outcome",
// "message", "decision"}: how the write ends if there is one, and what is concluded then, without
// the trace. Thread-safety: pure functions on plain values, and files that one thread writes.
// Failure modes: kNotFound, kInvalid, naming file and line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/decision/decision.h"
#include "api/decision/snapshot.h"

namespace ballast::golden {

struct Line {
  engine::Snapshot snapshot;
  engine::Outcome outcome;  // of the write, if one is attempted
  std::string decision;     // as it was recorded; empty: not yet
};

// What the engine makes of it now, as Line::decision has it.
std::string Decide(const Line& line);

// The lines of all files of a folder; none when there is no such folder.
Result<std::vector<Line>> ReadFolder(const std::filesystem::path& folder);
// A file for each family of snapshots, which is their id up to the first "/", each line with what
// the engine decides now.
void WriteFolder(const std::filesystem::path& folder, const std::vector<Line>& lines);

// The versions of the engine that have a folder in `root`.
std::map<std::int64_t, std::filesystem::path> Versions(const std::filesystem::path& root);

}  // namespace ballast::golden
