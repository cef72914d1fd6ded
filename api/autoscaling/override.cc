#include "api/autoscaling/override.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/autoscaling/schedule.h"
#include "api/kubernetes/codec.h"

namespace ballast::api {
namespace {

using Type = SchemaField::Type;

constexpr std::int64_t kMaxName = 253;
constexpr std::int64_t kMaxReason = 1024;
constexpr std::int64_t kMaxEnded = 64;
constexpr std::int64_t kMaxRequirements = 100;
constexpr const char* kOneOfTwo = "must have exactly one of target and selector";
constexpr const char* kEmptySelector =
    "must name labels, in matchLabels or matchExpressions: it would match all";

SchemaField Count(const char* name, const char* description, std::int64_t least) {
  return {.name = name, .type = Type::kInt32, .description = description, .minimum = least};
}

SchemaField KindField(const std::string& of_what) {
  return {.name = "kind",
          .description = of_what +
                         ": AutoScalePolicy or HorizontalPodAutoscaler; the latter only while "
                         "Ballast manages it.",
          .required = true,
          .allowed = {kPolicyKind, kHpaKind}};
}

SchemaField Target() {
  return {.name = "target",
          .type = Type::kObject,
          .description = "The autoscaler that it is about, of the same namespace.",
          .fields = {KindField("The autoscaler's kind"),
                     {.name = "name",
                      .description = "The autoscaler's name.",
                      .required = true,
                      .minimum = 1,
                      .maximum = kMaxName}}};
}

SchemaField Requirements() {
  return {.name = "matchExpressions",
          .type = Type::kList,
          .description = "Conditions on labels, all of which must hold.",
          .maximum = kMaxRequirements,
          .fields = {{.type = Type::kObject,
                      .fields = {{.name = "key", .description = "The label.", .required = true},
                                 {.name = "operator",
                                  .description = "In, NotIn, Exists or DoesNotExist.",
                                  .required = true},
                                 {.name = "values",
                                  .type = Type::kList,
                                  .description = "What In and NotIn compare with.",
                                  .maximum = kMaxRequirements,
                                  .fields = {{}}}}}}};
}

SchemaField SelectorField() {
  return {.name = "selector",
          .type = Type::kObject,
          .description =
              "The autoscalers that it is about, of the same namespace: all that have "
              "such labels, whenever they have them.",
          .rules = {{"(has(self.matchLabels) && size(self.matchLabels) > 0) || "
                     "(has(self.matchExpressions) && size(self.matchExpressions) > 0)",
                     kEmptySelector}},
          .fields = {KindField("The kind of all of them"),
                     {.name = "matchLabels",
                      .type = Type::kTextMap,
                      .description = "Labels and the values that they must have."},
                     Requirements()}};
}

SchemaField Spec() {
  return {
      .name = "spec",
      .type = Type::kObject,
      .description = "What is to be done, until when and why.",
      .required = true,
      .rules =
          {{"self == oldSelf",
            "is immutable: end the override (ballast override end NAME), and make another one"},
           {"has(self.target) != has(self.selector)", kOneOfTwo},
           {"(has(self.pin) ? 1 : 0) + (has(self.floor) ? 1 : 0) + (has(self.ceiling) ? 1 : 0) + "
            "(has(self.hold) ? 1 : 0) == 1",
            "must have exactly one of pin, floor, ceiling and hold"},
           {"!has(self.from) || self.from < self.until", "until must be later than from",
            ".until"}},
      .fields = {
          Target(),
          SelectorField(),
          {.name = "from", .type = Type::kTime, .description = "When it begins; absent: at once."},
          {.name = "until",
           .type = Type::kTime,
           .description = "When it ends by itself; at most as long after its beginning as the "
                          "installation allows: 7 days by default.",
           .required = true},
          {.name = "reason",
           .description = "Why, for whoever finds it.",
           .required = true,
           .minimum = 1,
           .maximum = kMaxReason},
          {.name = "owner",
           .description = "Who made it. Ballast's webhook sets it to the name of whoever sends the "
                          "object, whatever that says; without it anybody can write it, and "
                          "status.owner tells.",
           .maximum = kMaxOwner},
          Count("pin",
                "The replicas, whatever the metrics say; kept within the autoscaler's own bounds, "
                "but that 0 switches a policy's target off.",
                0),
          Count("floor", "At least so many replicas, within the autoscaler's own bounds.", 1),
          Count("ceiling",
                "At most so many replicas, within the autoscaler's own bounds, but that 0 switches "
                "a policy's target off; a floor beats it.",
                0),
          {.name = "hold",
           .description = "Which changes of the replicas do not take place: All, ScaleUp or "
                          "ScaleDown.",
           .allowed = {kHolds.begin(), kHolds.end()}}}};
}

SchemaField Override() {
  return {.type = Type::kObject,
          .description =
              "AutoScaleOverride is an exception from what an autoscaler's spec says, "
              "with an end, an owner and a reason.",
          .rules = {{"!has(oldSelf.ended) || has(self.ended)",
                     "an override that has ended stays so: make another one", ".ended"}},
          .fields = {
              {.name = "apiVersion"},
              {.name = "kind"},
              *PolicySchema().Find("metadata"),
              Spec(),
              // Text: what rules cannot read as a time, they let nobody write again.
              {.name = "ended",
               .description = "Whoever sets it, to the time or anything else, ends the override "
                              "early: it counts no more, and never again.",
               .minimum = 1,
               .maximum = kMaxEnded},
              {.name = "status",
               .type = Type::kObject,
               .description = "What the operator makes of it.",
               .fields = {{.name = "phase",
                           .description = "Pending, Active, Superseded (by a newer one of "
                                          "its type), Expired or Invalid."},
                          {.name = "message",
                           .description = "Why it has no effect, or not the one that it asks for."},
                          {.name = "matched",
                           .type = Type::kInt32,
                           .description = "How many autoscalers its selector matches."},
                          {.name = "owner",
                           .description = "Who made it, as far as a webhook has checked that; "
                                          "unknown: none has."},
                          {.name = "ended",
                           .type = Type::kTime,
                           .description = "When the operator saw that somebody had ended it."}},
               .of_servers = SchemaField::OfServers::kYes}}};
}

void CheckSubject(const OverrideSpec& spec, FieldErrors& errors) {
  if (spec.selector.has_value() != spec.name.empty()) {
    errors.Add("spec", kOneOfTwo);
  }
  if (!spec.selector) {
    return;
  }
  const auto selector = ToSelector(*spec.selector);
  if (!selector.ok()) {
    errors.Add("spec.selector", selector.error().message);
  } else if (selector->empty()) {
    errors.Add("spec.selector", kEmptySelector);
  }
}

// As whoever makes one gives it: "168h", "1h30m".
std::string Hours(Duration span) {
  std::string text = Print(span);
  for (const char* zero : {"m0s", "h0m"}) {
    if (text.ends_with(zero)) {
      text.resize(text.size() - 2);
    }
  }
  return text;
}

}  // namespace

std::string_view NameOf(OverrideType type) {
  switch (type) {
    case OverrideType::kFloor:
      return "floor";
    case OverrideType::kCeiling:
      return "ceiling";
    case OverrideType::kPin:
      return "pin";
    case OverrideType::kHold:
      break;
  }
  return "hold";
}

std::optional<OverrideType> OverrideSpec::type() const {
  const std::pair<bool, OverrideType> given[] = {{pin.has_value(), OverrideType::kPin},
                                                 {floor.has_value(), OverrideType::kFloor},
                                                 {ceiling.has_value(), OverrideType::kCeiling},
                                                 {!hold.empty(), OverrideType::kHold}};
  const auto is_given = [](const auto& of) { return of.first; };
  return std::ranges::count_if(given, is_given) == 1
             ? std::optional(std::ranges::find_if(given, is_given)->second)
             : std::nullopt;
}

Time AutoScaleOverride::start() const {
  const Time made = metadata.creation_timestamp.value_or(Time());
  return std::max(spec.from.value_or(made), made);
}

Time AutoScaleOverride::end() const {
  // Whoever ends one makes another generation of it.
  const bool made_ended = !ended.empty() && metadata.generation == 1;
  return made_ended ? start() : status.ended.value_or(spec.until);
}

bool AutoScaleOverride::IsOver(Time now) const {
  return !ended.empty() || metadata.deletion_timestamp || spec.until <= now;
}

bool AutoScaleOverride::Selects(const ObjectMeta& autoscaler) const {
  if (autoscaler.namespace_ != metadata.namespace_) {
    return false;
  }
  return spec.selector ? labels && labels->Matches(autoscaler.labels)
                       : spec.name == autoscaler.name;
}

void Decode(const json::Cursor& in, AutoScaleOverride& out) {
  Decode(in.Member("metadata"), out.metadata);
  const json::Cursor spec = in.Required("spec");
  if (const json::Cursor target = spec.Member("target"); target.present()) {
    target.Required("kind").Read(out.spec.kind);
    target.Required("name").Read(out.spec.name);
  }
  if (const json::Cursor selector = spec.Member("selector"); selector.present()) {
    selector.Required("kind").Read(out.spec.kind);
    Decode(selector, out.spec.selector.emplace());
    if (auto understood = ToSelector(*out.spec.selector); understood.ok()) {
      out.labels = std::move(understood).value();
    }
  }
  Decode(spec.Member("from"), out.spec.from);
  Decode(spec.Required("until"), out.spec.until);
  spec.Member("reason").Read(out.spec.reason);
  spec.Member("owner").Read(out.spec.owner);
  spec.Member("pin").Read(out.spec.pin);
  spec.Member("floor").Read(out.spec.floor);
  spec.Member("ceiling").Read(out.spec.ceiling);
  spec.Member("hold").Read(out.spec.hold);
  in.Member("ended").Read(out.ended);
  const json::Cursor status = in.Member("status");
  status.Member("phase").Read(out.status.phase);
  status.Member("message").Read(out.status.message);
  status.Member("matched").Read(out.status.matched);
  status.Member("owner").Read(out.status.owner);
  Decode(status.Member("ended"), out.status.ended);
}

void Encode(json::Writer& out, const OverrideSpec& spec) {
  out.Object([&] {
    out.Object(spec.selector ? "selector" : "target", [&] {
      out.Field("kind", spec.kind);
      if (spec.selector) {
        EncodeField(out, "matchLabels", spec.selector->match_labels);
        EncodeField(out, "matchExpressions", spec.selector->match_expressions);
      } else {
        out.Field("name", spec.name);
      }
    });
    EncodeField(out, "from", spec.from);
    out.Field("until", Print(spec.until));
    out.Field("reason", spec.reason);
    EncodeField(out, "owner", spec.owner);
    out.Field("pin", spec.pin);
    out.Field("floor", spec.floor);
    out.Field("ceiling", spec.ceiling);
    EncodeField(out, "hold", spec.hold);
  });
}

void Encode(json::Writer& out, const OverrideStatus& status) {
  out.Object([&] {
    EncodeField(out, "phase", status.phase);
    EncodeField(out, "message", status.message);
    EncodeField(out, "matched", status.matched);
    EncodeField(out, "owner", status.owner);
    EncodeField(out, "ended", status.ended);
  });
}

const SchemaField& OverrideSchema() {
  static const SchemaField schema = Override();
  return schema;
}

FieldErrors CheckOverride(const AutoScaleOverride& override, Duration longest) {
  const OverrideSpec& spec = override.spec;
  const Time begins = override.start();
  FieldErrors errors;
  CheckSubject(spec, errors);
  if (!spec.type()) {
    errors.Add("spec", "must have exactly one of pin, floor, ceiling and hold");
  }
  if (spec.until <= begins) {
    errors.Add("spec.until", "must be later than " + Print(begins) + ", when it begins");
  } else if (spec.until - begins > longest) {
    errors.Add("spec.until", "must be at most " + Hours(longest) + " after " + Print(begins) +
                                 ", when it begins, which is the longest that this installation "
                                 "allows; for longer, change the autoscaler's spec");
  }
  if (spec.reason.find_first_not_of(" \t\r\n") == std::string::npos) {
    errors.Add("spec.reason", "must say why, for whoever finds the override");
  }
  return errors;
}

std::string LimitOf(const OverrideSpec& override, const Autoscaler& autoscaler,
                    const AutoScaleOverride* floor) {
  const auto& count = override.pin     ? override.pin
                      : override.floor ? override.floor
                                       : override.ceiling;
  const std::int32_t least = autoscaler.spec.min_replicas.value_or(1);
  const std::int32_t most = autoscaler.spec.max_replicas;
  const auto within = [&](std::int32_t asked) { return std::min(std::max(asked, least), most); };
  if (!count) {
    return "";
  }
  const bool switches_off = count == 0 && autoscaler.is_policy();
  const std::int32_t counts = switches_off ? 0 : within(*count);
  if (override.ceiling && floor != nullptr && within(*floor->spec.floor) > counts) {
    return "counts as " + std::to_string(within(*floor->spec.floor)) + ", the floor of " +
           floor->metadata.name;
  }
  return counts == count ? ""
                         : "counts as " + std::to_string(counts) +
                               (*count > most ? ", the maxReplicas of " : ", the minReplicas of ") +
                               autoscaler.kind + " " + autoscaler.metadata.name;
}

}  // namespace ballast::api
