#include "api/autoscaling/namespace_rules.h"

#include <algorithm>

#include "api/autoscaling/mode.h"

namespace ballast::api {
namespace {

enum class Matches { kNo, kYes, kUnknown };

Matches Match(const PolicyRule& rule, const NamespaceFacts& facts) {
  const bool knows_name = rule.names.empty() || !facts.name.empty();
  const bool knows_labels = rule.labels.empty() || facts.labels;
  if ((knows_name && !rule.names.Matches({{kNamespaceName, facts.name}})) ||
      (knows_labels && !rule.labels.Matches(facts.labels.value_or(Labels())))) {
    return Matches::kNo;
  }
  return knows_name && knows_labels ? Matches::kYes : Matches::kUnknown;
}

SchemaField& MemberOf(SchemaField& field, std::string_view name) {
  return *std::ranges::find(field.fields, name, &SchemaField::name);
}

}  // namespace

NamespaceRules::NamespaceRules(std::span<const PolicyRule> rules, const NamespaceFacts& facts)
    : unknown_(facts.unknown) {
  for (const PolicyRule& rule : rules) {
    const Matches matches = Match(rule, facts);
    if (matches == Matches::kNo) {
      continue;
    }
    const auto take = [&](Choice& choice, bool has) {
      if (has && choice.rule == nullptr) {
        choice = {&rule, matches == Matches::kYes};
      }
    };
    take(behavior_, !rule.behavior.empty());
    take(pod_selection_, !rule.pod_selection.empty());
    take(max_replicas_, rule.max_replicas.has_value());
    take(min_sync_period_, rule.min_sync_period_seconds.has_value());
  }
  if (behavior_.rule != nullptr || pod_selection_.rule != nullptr) {
    schema_ = SchemaWithDefaults();
  }
}

SchemaField NamespaceRules::SchemaWithDefaults() const {
  SchemaField schema = PolicySchema();
  SchemaField& spec = MemberOf(schema, "spec");
  // Of what may have another default, nothing is filled in: it could not be told apart later.
  if (const auto& [rule, certain] = behavior_; rule != nullptr) {
    MemberOf(spec, "behavior").default_json = certain ? rule->behavior : "";
  }
  if (const auto& [rule, certain] = pod_selection_; rule != nullptr) {
    MemberOf(spec, "podSelection").default_json = certain ? '"' + rule->pod_selection + '"' : "";
  }
  return schema;
}

std::vector<std::string> NamespaceRules::OpenDefaults(const json::Cursor& policy) const {
  const json::Cursor spec = policy.Member("spec");
  std::vector<std::string> warnings;
  if (!behavior_.certain && !spec.Member("behavior").present()) {
    warnings.push_back(Open("spec.behavior", behavior_));
  }
  if (!pod_selection_.certain && !spec.Member("podSelection").present()) {
    warnings.push_back(Open("spec.podSelection", pod_selection_));
  }
  return warnings;
}

// A bound on a field of a policy.
struct NamespaceRules::Limit {
  const char* field;
  const Choice& choice;
  std::optional<std::int32_t> PolicyRule::*bound;
  std::optional<std::int32_t> value;
  std::optional<std::int32_t> stored;  // nullopt: none that counts
  bool is_most;                        // else the bound is the least
};

NamespaceRules::Findings NamespaceRules::CheckLimits(const AutoscalerSpec& spec,
                                                     const AutoscalerSpec* stored) const {
  const bool was_on = stored != nullptr && ModeOf(*stored).evaluates;
  Findings findings;
  CheckLimit({.field = "spec.maxReplicas",
              .choice = max_replicas_,
              .bound = &PolicyRule::max_replicas,
              .value = spec.max_replicas,
              .stored = was_on ? std::optional(stored->max_replicas) : std::nullopt,
              .is_most = true},
             findings);
  CheckLimit({.field = "spec.syncPeriodSeconds",
              .choice = min_sync_period_,
              .bound = &PolicyRule::min_sync_period_seconds,
              .value = spec.sync_period_seconds,
              .stored = was_on ? stored->sync_period_seconds : std::nullopt,
              .is_most = false},
             findings);
  if (!ModeOf(spec).evaluates) {
    for (const FieldError& error : findings.errors) {
      findings.warnings.push_back(Print(error));
    }
    findings.errors = {};
  }
  return findings;
}

void NamespaceRules::CheckLimit(const Limit& limit, Findings& findings) const {
  if (limit.choice.rule == nullptr || !limit.value) {
    return;
  }
  if (!limit.choice.certain) {
    findings.warnings.push_back(Open(limit.field, limit.choice));
    return;
  }
  const PolicyRule& rule = *limit.choice.rule;
  const std::int32_t bound = *(rule.*limit.bound);
  const auto exceeds = [&](std::int32_t value, std::int32_t other) {
    return limit.is_most ? value > other : value < other;
  };
  if (!exceeds(*limit.value, bound)) {
    return;
  }
  const FieldError error{limit.field, "is " + std::to_string(*limit.value) + "; rule " + rule.name +
                                          " of the chart's value policyRules allows " +
                                          std::to_string(bound) + " at " +
                                          (limit.is_most ? "most" : "least")};
  if (rule.denies && !(limit.stored && !exceeds(*limit.value, *limit.stored))) {
    findings.errors.Add(error.field, error.message);
  } else {
    findings.warnings.push_back(Print(error));
  }
}

std::string NamespaceRules::Open(const char* field, const Choice& choice) const {
  return std::string(field) + ": rule " + choice.rule->name + " is left out: " + unknown_;
}

}  // namespace ballast::api
