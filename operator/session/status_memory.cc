#include "operator/session/status_memory.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/decision/memory_fields.h"

namespace ballast::session {
namespace {

// A recommendation is a span here, though of one moment.
struct StatusReader : api::MemberReader {
  using MemberReader::Always;
  void Always(std::string_view name, std::vector<engine::Recommendation>& all) const {
    for (const json::Cursor& span : in.Member(name).Elements()) {
      engine::Recommendation& recommendation = all.emplace_back();
      span.Required("value").Read(recommendation.replicas);
      json::Read(span.Required("to"), recommendation.time);
    }
  }
};

// Empty lists and null are written too: a merge patch would leave what is older in place.
struct StatusWriter : api::MemberWriter {
  using MemberWriter::Always;
  void operator()(std::string_view name, const auto& value) const { Always(name, value); }
  void Always(std::string_view name, const std::optional<Time>& since) const {
    out.Key(name);
    since ? out.Value(Print(*since)) : out.Null();
  }
  void Always(std::string_view name, const std::vector<engine::Recommendation>& all) const {
    out.Array(name, [&] {
      for (const engine::Recommendation& recommendation : all) {
        out.Object([&] {
          out.Field("value", recommendation.replicas);
          out.Field("from", Print(recommendation.time));
          out.Field("to", Print(recommendation.time));
        });
      }
    });
  }
};

}  // namespace

void EncodeStatusMemory(json::Writer& out, const StatusMemory& remembered) {
  out.Field("writer", remembered.writer);
  out.Field("term", remembered.term);
  out.Field("target", remembered.memory.target);
  const StatusWriter writer{{out}};
  engine::RememberedFields(writer, remembered.memory);
}

std::string EncodeMemoryEntry(const std::string& uid, const StatusMemory& remembered) {
  json::Writer out;
  out.Object([&] {
    out.Field("uid", uid);
    EncodeStatusMemory(out, remembered);
  });
  return out.Take();
}

void Decode(const json::Cursor& in, StatusMemory& out) {
  in.Member("target").Read(out.memory.target);
  in.Member("writer").Read(out.writer);
  in.Member("term").Read(out.term);
  const StatusReader reader{{in}};
  engine::RememberedFields(reader, out.memory);
}

Result<StatusMemory> DecodeStatusMemory(const json::Document& policy) {
  json::Decoder decoder(policy);
  StatusMemory remembered;
  Decode(decoder.root().Member("status").Member("memory"), remembered);
  TRY(decoder.status());
  return remembered;
}

}  // namespace ballast::session
