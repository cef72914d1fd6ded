// metav1.ObjectMeta and its parts, as far as Ballast uses them.
//
// Errors: none here; Decode notes what does not fit as a problem of the Decoder.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/base/shared.h"
#include "api/base/time.h"
#include "api/json/json.h"
#include "api/json/json_writer.h"

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
  Shared<std::map<std::string, std::string>> labels;
  std::map<std::string, std::string> annotations;
  std::optional<Time> creation_timestamp;
  std::optional<Time> deletion_timestamp;
  Shared<std::vector<OwnerReference>> owner_references;
};

// The conditions of autoscaling/v2.
struct Condition {
  std::string type;
  std::string status;  // "True", "False", "Unknown"
  std::string reason;
  std::string message;
  std::optional<Time> last_transition_time;
  // As the server has it (since 1.37); nothing here sets it.
  std::optional<std::int64_t> observed_generation = {};
};

// The manager that set a field last, from metadata.managedFields.
struct FieldManager {
  std::string manager;
  std::optional<Time> time;  // in whole seconds; absent where the server does not say
};

// Our name there.
inline constexpr const char* kFieldManager = "ballast";

// The manager of the latest entry of `metadata`.managedFields for which `counts` returns true; of
// several, which server-side apply and whole seconds allow, the first; nullopt: there is none.
std::optional<FieldManager> LastManager(const json::Cursor& metadata,
                                        bool (*counts)(const json::Cursor& entry));

// Namespace and name: what identifies an object of a known kind.
struct ObjectKey {
  std::string namespace_;
  std::string name;

  std::string Print() const { return namespace_ + "/" + name; }
  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

// What identifies an object among those of several kinds.
struct ObjectReference {
  std::string kind;
  std::string namespace_;
  std::string name;

  ObjectKey key() const { return {namespace_, name}; }
  std::string Print() const { return kind + " " + key().Print(); }
  friend auto operator<=>(const ObjectReference&, const ObjectReference&) = default;
};

// A resource version as a number: they are decimal and grow. Text that does not begin with digits
// is 0, the oldest.
std::uint64_t VersionNumber(const std::string& resource_version);

// The group of an API version: "apps" for "apps/v1", "" for "v1".
std::string GroupOf(std::string_view api_version);

// The owner with `controller` set, of which there is at most one; null if there is none.
const OwnerReference* ControllerOf(const ObjectMeta& meta);

void Decode(const json::Cursor& in, ObjectMeta& out);
void Decode(const json::Cursor& in, Condition& out);
void Encode(json::Writer& out, const ObjectMeta& meta);
void Encode(json::Writer& out, const Condition& condition);

}  // namespace ballast::api
