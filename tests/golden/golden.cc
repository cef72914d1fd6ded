#include "tests/golden/golden.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <utility>

#include "api/base/digit.h"
#include "api/base/time.h"
#include "api/decision/decision_json.h"
#include "api/decision/snapshot_json.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "operator/engine/engine.h"

namespace ballast::golden {
namespace {

using engine::Outcome;
using Kind = Outcome::Kind;

// In the order of Outcome::Kind.
constexpr std::array<std::string_view, 4> kOutcomes = {"notAttempted", "written", "failed",
                                                       "unknown"};

Result<Line> ParseLine(std::string_view text) {
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(text));
  json::Decoder decoder(document);
  const json::Cursor root = decoder.root();
  Line line;
  ASSIGN_OR_RETURN(line.snapshot, engine::ParseSnapshot(root.Required("snapshot").Print()));
  const auto outcome = std::ranges::find(kOutcomes, root.Required("outcome").Text());
  if (outcome == kOutcomes.end()) {
    root.Member("outcome").Fail("is none");
  }
  line.outcome.kind = static_cast<Kind>(outcome - kOutcomes.begin());
  root.Member("message").Read(line.outcome.message);
  line.decision = root.Required("decision").Print();
  TRY(decoder.status());
  return line;
}

std::string Print(const Line& line) {
  json::Writer out;
  out.Object([&] {
    out.Key("snapshot");
    Encode(out, line.snapshot);
    out.Field("outcome", kOutcomes.at(static_cast<std::size_t>(line.outcome.kind)));
    if (!line.outcome.message.empty()) {
      out.Field("message", line.outcome.message);
    }
    out.Key("decision");
    out.Raw(Decide(line));
  });
  return out.Take();
}

std::string FamilyOf(const Line& line) {
  return line.snapshot.id.substr(0, line.snapshot.id.find('/'));
}

}  // namespace

std::string Decide(const Line& line) {
  engine::Decision decision = engine::Decide(line.snapshot, engine::Tracing::kOff);
  const Outcome outcome = decision.rescale ? line.outcome : Outcome{};
  const auto conclusion = engine::Conclude(line.snapshot, std::move(decision), outcome);
  json::Writer out;
  out.Object([&] {
    out.Key("conclusion");
    Encode(out, "", conclusion);
    if (const auto& release = conclusion.release) {
      out.Object("release", [&] {
        out.Field("at", ballast::Print(release->at));
        out.Field("replicas", release->replicas);
      });
    }
  });
  return out.Take();
}

Result<std::vector<Line>> ReadFolder(const std::filesystem::path& folder) {
  std::vector<Line> lines;
  if (!std::filesystem::exists(folder)) {
    return lines;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const auto& file : files) {
    std::ifstream in(file);
    std::size_t number = 1;
    for (std::string text; std::getline(in, text); ++number) {
      auto line = ParseLine(text);
      if (!line.ok()) {
        return line.error().In(file.string() + ":" + std::to_string(number));
      }
      lines.push_back(std::move(line).value());
    }
  }
  return lines;
}

void WriteFolder(const std::filesystem::path& folder, const std::vector<Line>& lines) {
  std::filesystem::create_directories(folder);
  std::map<std::string, std::ofstream> files;
  for (const Line& line : lines) {
    const std::string family = FamilyOf(line);
    files.try_emplace(family, folder / (family + ".ndjson")).first->second << Print(line) << '\n';
  }
}

std::map<std::int64_t, std::filesystem::path> Versions(const std::filesystem::path& root) {
  std::map<std::int64_t, std::filesystem::path> versions;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    const std::string name = entry.path().filename();
    if (IsAllDigits(name)) {
      versions[std::stoll(name)] = entry.path();
    }
  }
  return versions;
}

}  // namespace ballast::golden
