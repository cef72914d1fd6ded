// What every Kubernetes object has: metav1.ObjectMeta and its parts, as far as Ballast uses them.
//
// Thread-safety: plain values.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/base/time.h"
#include "api/json/json.h"

namespace ballast::api {

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;
};

struct ObjectMeta {
  std::string name;
  std::string namespace_;
  std::string uid;
  std::string resource_version;
  std::int64_t generation = 0;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  std::optional<Time> creation_timestamp;
  std::optional<Time> deletion_timestamp;
  std::vector<OwnerReference> owner_references;
};

// metav1.Condition as the autoscaling APIs have it.
struct Condition {
  std::string type;
  std::string status;  // "True", "False", "Unknown"
  std::string reason;
  std::string message;
  std::optional<Time> last_transition_time;
};

// Namespace and name: the identity of an object of a known kind.
struct ObjectKey {
  std::string namespace_;
  std::string name;

  std::string Print() const { return namespace_ + "/" + name; }
  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

// Resource versions are decimal numbers that grow; 0, for anything else, counts as the oldest.
std::uint64_t VersionNumber(const std::string& resource_version);

// The group of "apps/v1" is "apps", that of "v1" is "".
std::string GroupOf(std::string_view api_version);

// The owner that manages the object, of which there is at most one; null: there is none.
const OwnerReference* ControllerOf(const ObjectMeta& meta);

void Decode(const json::Cursor& in, ObjectMeta& out);
void Decode(const json::Cursor& in, Condition& out);
void Encode(json::Writer& out, const ObjectMeta& meta);
void Encode(json::Writer& out, const Condition& condition);

}  // namespace ballast::api
