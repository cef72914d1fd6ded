#include "operator/session/status_memory.h"

#include <optional>
#include <string>
#include <vector>

namespace ballast::session {
namespace {

void EncodeEvents(json::Writer& out, const char* name,
                  const std::vector<engine::ScaleEvent>& events) {
  out.Array(name, [&] {
    for (const engine::ScaleEvent& event : events) {
      out.Object([&] {
        out.Field("time", Print(event.time));
        out.Field("change", event.change);
      });
    }
  });
}

std::vector<engine::ScaleEvent> DecodeEvents(const json::Cursor& list) {
  std::vector<engine::ScaleEvent> events;
  for (const json::Cursor& entry : list.Elements()) {
    engine::ScaleEvent event;
    json::Read(entry.Required("time"), event.time);
    entry.Required("change").Read(event.change);
    events.push_back(event);
  }
  return events;
}

// Null is written too: a merge patch would leave an older time in place.
void EncodeMoment(json::Writer& out, const char* name, const std::optional<Time>& moment) {
  if (moment) {
    out.Field(name, Print(*moment));
  } else {
    out.Key(name);
    out.Null();
  }
}

}  // namespace

void EncodeStatusMemory(json::Writer& out, const StatusMemory& remembered) {
  const engine::Memory& memory = remembered.memory;
  out.Field("writer", remembered.writer);
  out.Field("term", remembered.term);
  out.Field("target", memory.target);
  // Empty lists are written too: a merge patch would leave an older list in place.
  out.Array("recommendations", [&] {
    for (const engine::Recommendation& recommendation : memory.recommendations) {
      out.Object([&] {
        out.Field("value", recommendation.replicas);
        out.Field("from", Print(recommendation.time));
        out.Field("to", Print(recommendation.time));
      });
    }
  });
  EncodeEvents(out, "scaleUps", memory.scale_ups);
  EncodeEvents(out, "scaleDowns", memory.scale_downs);
  out.Array("usedSamples", [&] {
    for (const engine::UsedSample& sample : memory.used_samples) {
      out.Object([&] {
        out.Field("metric", sample.metric);
        out.Field("timestamp", Print(sample.timestamp));
      });
    }
  });
  EncodeMoment(out, "noValueSince", memory.no_value_since);
  EncodeMoment(out, "suspectSince", memory.suspect_since);
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
  engine::Memory& memory = out.memory;
  in.Member("target").Read(memory.target);
  in.Member("writer").Read(out.writer);
  in.Member("term").Read(out.term);
  for (const json::Cursor& entry : in.Member("recommendations").Elements()) {
    engine::Recommendation recommendation;
    entry.Required("value").Read(recommendation.replicas);
    json::Read(entry.Required("to"), recommendation.time);
    memory.recommendations.push_back(recommendation);
  }
  memory.scale_ups = DecodeEvents(in.Member("scaleUps"));
  memory.scale_downs = DecodeEvents(in.Member("scaleDowns"));
  for (const json::Cursor& entry : in.Member("usedSamples").Elements()) {
    engine::UsedSample sample;
    entry.Required("metric").Read(sample.metric);
    json::Read(entry.Required("timestamp"), sample.timestamp);
    memory.used_samples.push_back(sample);
  }
  const auto decode_moment = [&](const char* name, std::optional<Time>& to) {
    if (const json::Cursor moment = in.Member(name); moment.present()) {
      json::Read(moment, to.emplace());
    }
  };
  decode_moment("noValueSince", memory.no_value_since);
  decode_moment("suspectSince", memory.suspect_since);
}

Result<StatusMemory> DecodeStatusMemory(const json::Document& policy) {
  json::Decoder decoder(policy);
  StatusMemory remembered;
  Decode(decoder.root().Member("status").Member("memory"), remembered);
  TRY(decoder.status());
  return remembered;
}

}  // namespace ballast::session
