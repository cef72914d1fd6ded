// What the options of `ballast pin`, `floor`, `ceiling` and `hold` ask for, as an object.
//
// Errors: kInvalid names the option and what it takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/autoscaling/override.h"
#include "api/base/result.h"
#include "api/base/time.h"
#include "operator/cli/terminal/times.h"

namespace ballast::cli {

struct OverrideOptions {
  api::OverrideType type = api::OverrideType::kHold;
  std::optional<std::int64_t> replicas;  // of all but a hold
  std::string only;                      // of a hold: "in", "out"; empty: both
  std::string from;                      // empty: now
  std::string lasts;                     // --for; empty: `until` is given
  std::string until;
  std::string reason;
};

// Without what it is about, and without an owner. How long it may last only the server knows.
Result<api::OverrideSpec> ReadOverride(const OverrideOptions& options, Time now);

// Makes it one for all of the kind ("asp", "hpa") whose labels match: "tier=web,track!=canary".
Status SelectBy(const std::string& kind, const std::string& labels, api::OverrideSpec& spec);

// The object, whose name the API server completes: "web-floor-x7k2p".
std::string PrintOverride(const api::OverrideSpec& spec);

// "floor of 20", "hold of scale-in"
std::string Effect(const api::OverrideSpec& spec);

// "asp/web", "each asp with tier=web"
std::string TargetName(const api::OverrideSpec& spec);

// "floor of 20 for asp/web until 2026-11-23T06:00:00Z, by alice: sale". `owner`: status.owner, or
// of one that was just made spec.owner; empty: not known.
std::string Describe(const api::OverrideSpec& spec, const std::string& owner);

// Whole seconds are enough for people, and easier to read.
Time Whole(Time time);

}  // namespace ballast::cli
