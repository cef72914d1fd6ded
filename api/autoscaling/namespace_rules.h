// What the installation's rules (policy_rules.h) say about the policies of one namespace.
//
// For each setting the first rule counts that matches the namespace and has the setting. A selector
// can be about labels that are not known. Then the rule may count or not, so nothing is filled in
// and nothing refused for its settings, and a warning says so.
//
// Thread-safety: plain value; many threads may read it.
// Errors: none returned; findings say what is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/autoscaling/policy_rules.h"
#include "api/autoscaling/schema.h"
#include "api/autoscaling/types.h"
#include "api/json/json.h"
#include "api/kubernetes/field_error.h"

namespace ballast::api {

// What is known of a namespace.
struct NamespaceFacts {
  std::string name;              // empty: not known
  std::optional<Labels> labels;  // nullopt: not known beyond the name
  // Why the rest is not known and what to do about it, as the end of a warning.
  std::string unknown = {};
};

class NamespaceRules {
 public:
  struct Findings {
    FieldErrors errors;
    std::vector<std::string> warnings;
  };

  // Without a rule.
  NamespaceRules() = default;
  // `rules` must outlive the NamespaceRules.
  NamespaceRules(std::span<const PolicyRule> rules, const NamespaceFacts& facts);

  // PolicySchema() with the defaults of the rules. A behavior counts as a whole: into one that a
  // policy has, no rule adds anything.
  const SchemaField& Schema() const { return schema_ ? *schema_ : PolicySchema(); }
  // A warning for each setting that `policy` leaves out, and for which a rule may count.
  std::vector<std::string> OpenDefaults(const json::Cursor& policy) const;

  // What is beyond the limits. It is only warned of if the rule says so, if the policy is switched
  // off, and if `stored`, the policy as it was (null: there is none), went as far while switched
  // on.
  Findings CheckLimits(const AutoscalerSpec& spec, const AutoscalerSpec* stored) const;

 private:
  // The rule that counts for a setting.
  struct Choice {
    const PolicyRule* rule = nullptr;  // null: none
    bool certain = true;               // false: if it matches, which is not known
  };
  struct Limit;

  SchemaField SchemaWithDefaults() const;
  void CheckLimit(const Limit& limit, Findings& findings) const;
  std::string Open(const char* field, const Choice& choice) const;

  std::string unknown_;
  Choice behavior_;
  Choice pod_selection_;
  Choice max_replicas_;
  Choice min_sync_period_;
  std::optional<SchemaField> schema_;  // nullopt: PolicySchema()
};

}  // namespace ballast::api
