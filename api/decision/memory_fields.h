// The lists of the fields of a memory and of its entries: for their JSON (as codec.h has it), and
// for whatever else is made of each.
#pragma once

#include <array>
#include <optional>

#include "api/decision/memory.h"
#include "api/kubernetes/codec.h"

namespace ballast::engine {

void Fields(auto& f, api::Of<Recommendation> auto& v) {
  f.Required("time", v.time);
  f.Required("replicas", v.replicas);
}

void Fields(auto& f, api::Of<ScaleEvent> auto& v) {
  f.Required("time", v.time);
  f.Required("change", v.change);
}

void Fields(auto& f, api::Of<UsedSample> auto& v) {
  f.Required("metric", v.metric);
  f.Required("timestamp", v.timestamp);
}

// A field that says since when something lasts; its names in JSON and in a store.
struct LastingField {
  const char* member;
  const char* column;
  std::optional<Time> Memory::*since;
};
inline constexpr std::array kLastingFields = {
    LastingField{"noValueSince", "no_value_since", &Memory::no_value_since},
    LastingField{"suspectSince", "suspect_since", &Memory::suspect_since}};

// All but whose it is.
void RememberedFields(auto& f, api::Of<Memory> auto& v) {
  f.Always("recommendations", v.recommendations);
  f.Always("scaleUps", v.scale_ups);
  f.Always("scaleDowns", v.scale_downs);
  f("usedSamples", v.used_samples);
  for (const LastingField& field : kLastingFields) {
    f(field.member, v.*field.since);
  }
}

void Fields(auto& f, api::Of<Memory> auto& v) {
  RememberedFields(f, v);
  f("target", v.target);
}

}  // namespace ballast::engine
