#include "operator/cli/cluster/overrides/override_request.h"

#include <limits>

#include "api/autoscaling/schedule.h"
#include "api/json/json_writer.h"
#include "api/kubernetes/parse_selector.h"
#include "operator/cli/autoscaler_name.h"
#include "operator/cli/terminal/one_line.h"

namespace ballast::cli {
namespace {

// Leaves room for the type and what the API server appends.
constexpr std::size_t kMostOfName = 200;

Error Wrong(const std::string& option, const std::string& why) {
  return {Code::kInvalid, option + ": " + why};
}

Result<Time> PointOf(const std::string& option, const std::string& text, Time now) {
  if (ParseSpan(option, text).ok()) {
    return Wrong(option, "\"" + text + "\" is a span: give a time, or the span by --for");
  }
  return ParsePoint(option, text, now, Zone::kLocal, TimeOfDay::kToday);
}

Result<Time> EndOf(const OverrideOptions& options, Time begin, Time now) {
  if (options.lasts.empty() == options.until.empty()) {
    return Wrong("--for", "give either it or --until: when does the override end?");
  }
  if (options.lasts.empty()) {
    return PointOf("--until", options.until, now);
  }
  ASSIGN_OR_RETURN(const Duration span, ParseSpan("--for", options.lasts));
  if (span == Duration()) {
    return Wrong("--for", "must be longer than " + options.lasts);
  }
  return begin + span;
}

Status SetEffect(const OverrideOptions& options, api::OverrideSpec& spec) {
  if (options.type == api::OverrideType::kHold) {
    spec.hold = options.only == "in"    ? api::kHoldScaleDown
                : options.only == "out" ? api::kHoldScaleUp
                                        : api::kHoldAll;
    return Done{};
  }
  const int least = options.type == api::OverrideType::kFloor ? 1 : 0;
  if (!options.replicas || *options.replicas < least ||
      *options.replicas > std::numeric_limits<std::int32_t>::max()) {
    return Wrong("REPLICAS", "must be a number of replicas, " + std::to_string(least) + " or more");
  }
  auto& bound = options.type == api::OverrideType::kPin     ? spec.pin
                : options.type == api::OverrideType::kFloor ? spec.floor
                                                            : spec.ceiling;
  bound = static_cast<std::int32_t>(*options.replicas);
  return Done{};
}

// As in spec.selector.matchExpressions; null: it cannot be there.
const char* NameOf(api::SelectorOperator op) {
  using enum api::SelectorOperator;
  switch (op) {
    case kIn:
    case kEquals:
    case kDoubleEquals:
      return "In";
    case kNotIn:
    case kNotEquals:
      return "NotIn";
    case kExists:
      return "Exists";
    case kDoesNotExist:
      return "DoesNotExist";
    case kGreater:
    case kLess:
      break;
  }
  return nullptr;
}

// "asp"
std::string ShortKind(const api::OverrideSpec& spec) {
  const std::string name = api::PrintName(spec.kind, "");
  return name.substr(0, name.find('/'));
}

}  // namespace

Result<api::OverrideSpec> ReadOverride(const OverrideOptions& options, Time now) {
  api::OverrideSpec spec;
  spec.reason = options.reason;
  TRY(SetEffect(options, spec));
  Time begin = now;
  if (!options.from.empty()) {
    ASSIGN_OR_RETURN(begin, PointOf("--from", options.from, now));
    spec.from = Whole(begin);
  }
  ASSIGN_OR_RETURN(const Time end, EndOf(options, begin, now));
  spec.until = Whole(end);
  if (end <= now) {
    return Wrong(options.lasts.empty() ? "--until" : "--from",
                 "it would be over by now, " + PrintIn(Zone::kLocal, now) + " " +
                     NameOf(Zone::kLocal, now) + "; a time of another day needs the date");
  }
  if (end <= begin) {
    return Wrong("--until", "it would end before it begins, by --from");
  }
  if (spec.reason.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Wrong("--reason", "it is empty: say why, for whoever finds the override");
  }
  return spec;
}

Status SelectBy(const std::string& kind, const std::string& labels, api::OverrideSpec& spec) {
  ASSIGN_OR_RETURN(spec.kind, ParseKind(kind));
  const auto selector = api::ParseSelector(labels);
  if (!selector.ok() || selector->empty()) {
    return Wrong("--selector", selector.ok() ? "it must name a label" : selector.error().message);
  }
  spec.selector.emplace();
  for (const api::Selector::Requirement& requirement : selector->requirements()) {
    const char* name = NameOf(requirement.op);
    if (name == nullptr) {
      return Wrong("--selector",
                   "labels are compared by =, !=, in, notin, exists and !exists only");
    }
    spec.selector->match_expressions.push_back({requirement.key, name, requirement.values});
  }
  return Done{};
}

std::string PrintOverride(const api::OverrideSpec& spec) {
  json::Writer out;
  out.Object([&] {
    out.Field("apiVersion", api::kPolicyApiVersion);
    out.Field("kind", api::kOverrideKind);
    out.Object("metadata", [&] {
      out.Field("generateName",
                (spec.selector ? ShortKind(spec) : spec.name.substr(0, kMostOfName)) + "-" +
                    std::string(NameOf(*spec.type())) + "-");
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
  if (spec.selector) {
    const auto selector = api::ToSelector(*spec.selector);
    return "each " + ShortKind(spec) + " with " +
           (selector.ok() ? OneLine(selector->Print()) : std::string("labels that are wrong"));
  }
  return OneLine(api::PrintName(spec.kind, spec.name));
}

std::string Describe(const api::OverrideSpec& spec, const std::string& owner) {
  return Effect(spec) + " for " + TargetName(spec) +
         (spec.from ? " from " + Print(*spec.from) : "") + " until " + Print(spec.until) + ", by " +
         OneLine(owner.empty() ? api::kUnknownOwner : owner) + ": " + OneLine(spec.reason);
}

Time Whole(Time time) { return {time.unix_seconds(), 0}; }

}  // namespace ballast::cli
