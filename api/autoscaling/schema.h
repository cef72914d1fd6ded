// The shape of the two resources, told once: each field's name, type, meaning, default and bounds.
//
// From this one table come the CustomResourceDefinition (crd.h), the defaults (defaults.h) and the
// check of types and unknown fields (strict_fields.h). What the table cannot say, because it needs
// to look at several fields in upstream's way, is validation.h. Thread-safety: immutable once
// built.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballast::api {

inline constexpr std::int64_t kMaxQuantityText = 64;

struct Field {
  enum class Type {
    kString,
    kInt32,
    kInt64,
    kBool,
    kQuantity,  // text or a number
    kTime,      // RFC 3339
    kObject,    // `fields`
    kList,      // of `fields[0]`
    kTextMap,   // of text by name
    kAny,       // not looked into
  };

  // A rule in the Common Expression Language, checked by the API server.
  struct Rule {
    std::string expression;
    std::string message;
    std::string field = {};  // the member to blame (".maxReplicas"); empty: the object as a whole
  };

  std::string name = {};
  Type type = Type::kString;
  std::string description = {};
  bool required = false;
  std::string default_json = {};    // empty: none
  bool default_when_empty = false;  // an empty list counts as absent, as upstream has it
  std::vector<std::string> allowed = {};
  std::string pattern = {};                  // of text; a regular expression
  std::optional<std::int64_t> minimum = {};  // of a number; for text and lists the least size
  std::optional<std::int64_t> maximum = {};  // of a number; for text and lists the greatest size
  std::vector<Rule> rules = {};
  std::string list_key = {};  // the member that tells a list's objects apart
  std::vector<Field> fields = {};

  // The member of that name, or none.
  const Field* Find(std::string_view member) const;
};

// A whole object: apiVersion, kind, metadata, spec, status.
const Field& PolicySchema();  // ballast.dev/v1alpha1 AutoScalePolicy
const Field& HpaSchema();     // autoscaling/v2; autoscaling/v2beta2 has the same shape
const Field& HpaV1Schema();   // autoscaling/v1
const Field& HpaV2Beta1Schema();

}  // namespace ballast::api
