// AutoScaleOverride: an exception from what an autoscaler's spec says, with an end, an owner and a
// reason. It pins the replicas, bounds them or holds them. It is an object of its own, because
// GitOps would revert a field of the autoscaler, and its spec never changes: another exception is
// another object. Whoever ends it early says so beside the spec, once and for all.
//
// Errors: none; Decode notes what does not fit as a problem of the Decoder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/autoscaling/schema.h"
#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "api/kubernetes/field_error.h"
#include "api/kubernetes/label_selector.h"
#include "api/kubernetes/meta.h"
#include "api/kubernetes/selector.h"

namespace ballast::api {

inline constexpr const char* kOverrideKind = "AutoScaleOverride";
// The longest override, where the installation has no limit of its own: whoever needs more wants
// another spec.
inline constexpr Duration kUsualLongestOverride = Duration::Seconds(7 * 24 * 3600);
inline constexpr std::int64_t kMaxOwner = 1024;  // bytes
// Of an override whose author nobody has checked.
inline constexpr const char* kUnknownOwner = "unknown";

// In the order in which they apply.
enum class OverrideType { kFloor, kCeiling, kPin, kHold };
// "floor"
std::string_view NameOf(OverrideType type);

struct OverrideSpec {
  // The autoscalers, of the same namespace: one by its name, or all with such labels.
  std::string kind;
  std::string name;                       // spec.target; empty: `selector` is given
  std::optional<LabelSelector> selector;  // spec.selector
  std::optional<Time> from;               // absent: at once
  Time until;
  std::string reason;
  // Who made it: what the webhook has set, where it is asked; else what anybody has written.
  std::string owner;
  // One of these.
  std::optional<std::int32_t> pin;
  std::optional<std::int32_t> floor;
  std::optional<std::int32_t> ceiling;
  std::string hold;  // "All", "ScaleUp", "ScaleDown" (schedule.h); empty: none

  // What it does; absent: it names no type, or several.
  std::optional<OverrideType> type() const;
};

struct OverrideStatus {
  std::string phase;                    // empty: not yet looked at
  std::string message;                  // why it has no effect; empty: it has, or its phase says it
  std::optional<std::int32_t> matched;  // how many autoscalers its selector matches
  // spec.owner, or kUnknownOwner, as it was judged when the operator first saw it.
  std::string owner;
  // Of one that somebody has ended early: when the operator first saw that, which stays.
  std::optional<Time> ended;
  friend bool operator==(const OverrideStatus&, const OverrideStatus&) = default;
};

struct AutoScaleOverride {
  ObjectMeta metadata;
  OverrideSpec spec;
  OverrideStatus status;
  // What somebody has written to end it early, usually the time; empty: nobody has. It counts no
  // more, whatever that says.
  std::string ended;
  std::optional<Selector> labels;  // spec.selector, as Decode understands it
  // Why it does not count, as its reader found by CheckOverride; empty: it counts.
  std::string problem;

  ObjectKey key() const { return {metadata.namespace_, metadata.name}; }
  // The autoscaler that it names; of one with a selector without a name.
  ObjectReference target() const { return {spec.kind, metadata.namespace_, spec.name}; }
  // Whether it is about that autoscaler of its kind.
  bool Selects(const ObjectMeta& autoscaler) const;
  // When it begins to count: never before it was made.
  Time start() const;
  // When it ends, or has ended, as far as that is recorded. One that was made with `ended` ends as
  // it begins, so it never counts.
  Time end() const;
  // Whether it counts no more. One that is being deleted has ended.
  bool IsOver(Time now) const;
};

void Decode(const json::Cursor& in, AutoScaleOverride& out);
void Encode(json::Writer& out, const OverrideSpec& spec);
void Encode(json::Writer& out, const OverrideStatus& status);

// ballast.dev/v1alpha1 AutoScaleOverride.
const SchemaField& OverrideSchema();

// What is wrong with an override of the right shape, in an installation with that limit.
FieldErrors CheckOverride(const AutoScaleOverride& override, Duration longest);

// What the bounds of the autoscaler's spec make of the override's count, and of a ceiling also
// another override, if `floor` is not null: "counts as 10, the maxReplicas of AutoScalePolicy web",
// "counts as 5, the floor of web-floor-x7k2p". Empty: it counts as it is.
std::string LimitOf(const OverrideSpec& override, const Autoscaler& autoscaler,
                    const AutoScaleOverride* floor);

}  // namespace ballast::api
