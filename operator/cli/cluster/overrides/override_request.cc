#include "operator/cli/cluster/overrides/override_request.h"

#include <algorithm>
#include <limits>

#include "api/autoscaling/schedule.h"
#include "api/json/json_writer.h"
#include "operator/cli/terminal/text_width.h"

namespace ballast::cli {
namespace {

// Leaves room for the type and what the API server appends.
constexpr std::size_t kMostOfName = 200;

Error Wrong(const std::string& option, const std::string& why) {
  return {Code::kInvalid, option + ": " + why};
}

// Whole seconds are enough, and easier to read.
Time Whole(Time time) { return {time.unix_seconds(), 0}; }

// ParseMoment takes a span for one that is over.
Result<Time> Moment(const std::string& option, const std::string& text, Time now) {
  if (ParseDuration(text).ok()) {
    return Wrong(option, "\"" + text + "\" is a span: give a time, or the span by --for");
  }
  return ParseMoment(option, text, now, Zone::kLocal, TimeOfDay::kToday);
}

Result<Time> EndOf(const OverrideOptions& options, Time begin, Time now) {
  if (options.lasts.empty() == options.until.empty()) {
    return Wrong("--for", "give either it or --until: when does the override end?");
  }
  if (options.lasts.empty()) {
    return Moment("--until", options.until, now);
  }
  const auto span = ParseDuration(options.lasts);
  if (!span.ok() || *span <= Duration()) {
    return Wrong("--for", "\"" + options.lasts + "\" is no span like 2h or 90m");
  }
  return begin + *span;
}

Status SetEffect(const OverrideOptions& options, api::OverrideSpec& spec) {
  if (options.type == api::OverrideType::kHold) {
    spec.hold = options.only == "in"    ? api::kHoldScaleDown
                : options.only == "out" ? api::kHoldScaleUp
                                        : api::kHoldAll;
    return Done{};
  }
  if (!options.replicas || *options.replicas < 1 ||
      *options.replicas > std::numeric_limits<std::int32_t>::max()) {
    return Wrong("REPLICAS", "must be a number of replicas, 1 or more");
  }
  auto& bound = options.type == api::OverrideType::kPin     ? spec.pin
                : options.type == api::OverrideType::kFloor ? spec.floor
                                                            : spec.ceiling;
  bound = static_cast<std::int32_t>(*options.replicas);
  return Done{};
}

}  // namespace

Result<api::OverrideSpec> ReadOverride(const OverrideOptions& options, Time now) {
  api::OverrideSpec spec;
  spec.reason = options.reason;
  TRY(SetEffect(options, spec));
  Time begin = now;
  if (!options.from.empty()) {
    ASSIGN_OR_RETURN(begin, Moment("--from", options.from, now));
    spec.from = Whole(begin);
  }
  ASSIGN_OR_RETURN(const Time end, EndOf(options, begin, now));
  spec.until = Whole(end);
  if (end <= now) {
    return Wrong(options.lasts.empty() ? "--until" : "--from",
                 "it would be over by now, " + PrintIn(Zone::kLocal, now) + " " +
                     NameOf(Zone::kLocal, now) + "; a time of another day needs the date");
  }
  if (const auto errors = api::CheckOverride(spec, std::max(begin, now)); !errors.empty()) {
    return Error{Code::kInvalid, Print(errors.front())};
  }
  return spec;
}

std::string PrintOverride(const api::OverrideSpec& spec) {
  json::Writer out;
  out.Object([&] {
    out.Field("apiVersion", api::kPolicyApiVersion);
    out.Field("kind", api::kOverrideKind);
    out.Object("metadata", [&] {
      out.Field("generateName",
                spec.name.substr(0, kMostOfName) + "-" + std::string(NameOf(*spec.type())) + "-");
    });
    out.Key("spec");
    Encode(out, spec);
  });
  return out.Take();
}

std::string Effect(const api::OverrideSpec& spec) {
  const auto type = spec.type();
  if (!type) {
    return "nothing";
  }
  const std::string name(NameOf(*type));
  if (*type == api::OverrideType::kHold) {
    return name + (spec.hold == api::kHoldScaleDown ? " of scale-in"
                   : spec.hold == api::kHoldScaleUp ? " of scale-out"
                                                    : "");
  }
  const auto& bound = spec.pin ? spec.pin : spec.floor ? spec.floor : spec.ceiling;
  return name + " of " + std::to_string(*bound);
}

std::string TargetName(const api::OverrideSpec& spec) {
  return OneLine(api::PrintName(spec.kind, spec.name));
}

std::string Describe(const api::OverrideSpec& spec) {
  return Effect(spec) + " for " + TargetName(spec) +
         (spec.from ? " from " + Print(*spec.from) : "") + " until " + Print(spec.until) + ", by " +
         OneLine(spec.owner.empty() ? api::kUnknownOwner : spec.owner) + ": " +
         OneLine(spec.reason);
}

}  // namespace ballast::cli
