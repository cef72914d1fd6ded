#include "operator/controllers/status_memory.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "operator/engine/memory/memory_prune.h"

namespace ballast::controllers {
namespace {

// How many entries of a kind there are at most. More would need a long window, a short period and a
// count that moves all the time.
constexpr std::size_t kMost = 64;

// Of entries in order of time, joins the oldest to the first one that is kept, by `join`.
template <typename Entry, typename Join>
void Shorten(std::vector<Entry>& entries, Join join) {
  if (entries.size() <= kMost) {
    return;
  }
  const auto kept = entries.end() - kMost;
  std::for_each(entries.begin(), kept, [&](const Entry& older) { join(*kept, older); });
  entries.erase(entries.begin(), kept);
}

void Shorten(std::vector<engine::ScaleEvent>& events) {
  if (events.size() > kMost) {  // else they keep their slots
    std::ranges::stable_sort(events, {}, &engine::ScaleEvent::time);
    Shorten(events, [](engine::ScaleEvent& kept, const engine::ScaleEvent& older) {
      constexpr std::int64_t kGreatest = std::numeric_limits<std::int32_t>::max();
      kept.change =
          static_cast<std::int32_t>(std::min(std::int64_t{kept.change} + older.change, kGreatest));
    });
  }
}

// The recommendations that could hold the count above or below the present recommendation: the
// latest time of each, without those that a later one exceeds. The present one is left out.
std::vector<engine::Recommendation> Binding(std::vector<engine::Recommendation> all, Time now) {
  std::ranges::stable_sort(all, std::greater<>(), &engine::Recommendation::time);
  std::vector<engine::Recommendation> above;
  std::vector<engine::Recommendation> below;
  if (all.empty()) {
    return above;
  }
  std::int32_t highest = all.front().replicas;
  std::int32_t lowest = highest;
  for (const engine::Recommendation& one : all) {
    if (one.time != now && one.replicas > highest) {
      above.push_back(one);
    } else if (one.time != now && one.replicas < lowest) {
      below.push_back(one);
    }
    highest = std::max(highest, one.replicas);
    lowest = std::min(lowest, one.replicas);
  }
  for (auto* binding : {&above, &below}) {
    std::ranges::reverse(*binding);
    // The oldest one holds the most.
    const std::int32_t extreme = binding->empty() ? 0 : binding->front().replicas;
    Shorten(*binding, [&](engine::Recommendation& kept, const auto&) { kept.replicas = extreme; });
  }
  above.insert(above.end(), below.begin(), below.end());
  std::ranges::stable_sort(above, {}, &engine::Recommendation::time);
  return above;
}

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

void MergeEvents(std::vector<engine::ScaleEvent>& events,
                 const std::vector<engine::ScaleEvent>& remembered) {
  for (const engine::ScaleEvent& event : remembered) {
    if (std::ranges::find(events, event) == events.end()) {
      events.push_back(event);
    }
  }
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

engine::Memory MemoryForStatus(const api::AutoscalerSpec& spec, const engine::Settings& settings,
                               const engine::Memory& memory, Time now) {
  engine::Memory remembered = memory;
  engine::PruneMemory(spec, settings, now, remembered);
  remembered.recommendations = Binding(std::move(remembered.recommendations), now);
  Shorten(remembered.scale_ups);
  Shorten(remembered.scale_downs);
  return remembered;
}

void EncodeStatusMemory(json::Writer& out, const StatusMemory& remembered) {
  const engine::Memory& memory = remembered.memory;
  out.Field("writer", remembered.writer);
  out.Field("term", remembered.term);
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

void Decode(const json::Cursor& in, StatusMemory& out) {
  engine::Memory& memory = out.memory;
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

void Merge(engine::Memory& memory, const engine::Memory& other) {
  // Only a recommendation's latest time counts, so duplicates do no harm.
  memory.recommendations.insert(memory.recommendations.end(), other.recommendations.begin(),
                                other.recommendations.end());
  MergeEvents(memory.scale_ups, other.scale_ups);
  MergeEvents(memory.scale_downs, other.scale_downs);
  for (const engine::UsedSample& sample : other.used_samples) {
    const auto known =
        std::ranges::find(memory.used_samples, sample.metric, &engine::UsedSample::metric);
    if (known == memory.used_samples.end()) {
      memory.used_samples.push_back(sample);
    } else {
      known->timestamp = std::max(known->timestamp, sample.timestamp);
    }
  }
  memory.no_value_since = other.no_value_since;
  memory.suspect_since = other.suspect_since;
}

}  // namespace ballast::controllers
