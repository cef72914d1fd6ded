// The schema of the two resources, defined once: each field's name, type, description, default and
// bounds.
//
// The CustomResourceDefinition (crd.h), the defaults (defaults.h) and the check of types and
// unknown fields (strict_fields.h) all come from this table. What it cannot express, because
// upstream's rule involves several fields, is in validation.h.
//
// Thread-safety: immutable once built; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballast::api {

inline constexpr std::int64_t kMaxQuantityText = 64;

struct SchemaField {
  enum class Type {
    kString,
    kInt32,
    kInt64,
    kBool,
    kQuantity,  // a string or a number
    kTime,      // RFC 3339
    kObject,    // `fields`
    kList,      // of `fields[0]`
    kTextMap,   // of strings by name
    kAny,       // not checked
  };

  enum class OfServers {
    kNo,
    kYes,
    // Once it is stored, with a uid, which nobody writes by hand. People edit it even then: a name
    // near that of a field is an error.
    kOnceStored,
  };

  // A rule in the Common Expression Language, which the API server checks.
  struct CelRule {
    std::string expression;
    std::string message;
    std::string field = {};  // the member to blame (".maxReplicas"); empty: the object as a whole
  };

  std::string name = {};
  Type type = Type::kString;
  std::string description = {};
  bool required = false;
  std::string default_json = {};    // empty: none
  bool default_when_empty = false;  // an empty list counts as absent, as in upstream
  // The installation may have another default. The CRD then has none: what the API server has
  // filled in, the webhook could not tell from what the author wrote.
  bool default_may_differ = false;
  std::vector<std::string> allowed = {};
  std::string pattern = {};                  // of a string or quantity; a regular expression
  std::optional<std::int64_t> minimum = {};  // of a number; the least size of a string or list
  std::optional<std::int64_t> maximum = {};  // of a number; the greatest size of a string or list
  std::vector<CelRule> rules = {};
  std::string list_key = {};  // the member that identifies an element of the list
  std::vector<SchemaField> fields = {};
  // What it has beyond `fields` is no error if servers write it: they may be newer than this
  // program.
  OfServers of_servers = OfServers::kNo;

  // The member of that name; null if there is none.
  const SchemaField* Find(std::string_view member) const;
};

// Whole objects: apiVersion, kind, metadata, spec, status.
const SchemaField& PolicySchema();  // ballast.dev/v1alpha1 AutoScalePolicy
const SchemaField& HpaSchema();     // autoscaling/v2; autoscaling/v2beta2 has the same shape
const SchemaField& HpaV1Schema();   // autoscaling/v1
const SchemaField& HpaV2Beta1Schema();

}  // namespace ballast::api
