#include "webhooks/admit.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "api/autoscaling/defaults.h"
#include "api/autoscaling/mode.h"
#include "api/autoscaling/namespace_rules.h"
#include "api/autoscaling/object_check.h"
#include "webhooks/admit_override.h"
#include "webhooks/cluster_checks.h"
#include "webhooks/json_patch.h"
#include "webhooks/limits.h"
#include "webhooks/source_check.h"

namespace ballast::webhooks {
namespace {

bool Concerns(const ReviewSubject& subject) {
  return (subject.operation == "CREATE" || subject.operation == "UPDATE") &&
         subject.subresource.empty();
}

bool Concerns(const Review& review) { return Concerns(review.subject) && review.object.IsObject(); }

bool IsBeingDeleted(const json::Cursor& object) {
  const json::Cursor metadata = object.Member("metadata");
  return metadata.IsObject() && metadata.Member("deletionTimestamp").present();
}

bool IsHpa(const json::Cursor& object) { return object.Member("kind").Text() == api::kHpaKind; }

// The identity of an error, regardless of its position in a list.
std::string Identity(const api::FieldError& error) {
  std::string path;
  bool index = false;
  for (const char c : error.field) {
    index = c == '[' || (index && c != ']');
    if (!index) {
      path += c;
    }
  }
  return path + ": " + error.message;
}

void Tolerate(const std::string& why, const api::FieldErrors& errors, Verdict& verdict) {
  for (const api::FieldError& error : errors) {
    verdict.warnings.push_back(why + Print(error));
  }
}

// Denies for errors that are new and warns of those that `before` has too.
void Ratchet(const api::FieldErrors& errors, const api::FieldErrors& before, Verdict& verdict) {
  std::map<std::string, int> known;
  for (const api::FieldError& error : before) {
    ++known[Identity(error)];
  }
  for (const api::FieldError& error : errors) {
    if (int& left = known[Identity(error)]; left > 0) {
      --left;
      Tolerate("still invalid: ", {error}, verdict);
    } else {
      verdict.errors.Add(error.field, error.message, error.later);
    }
  }
  if (errors.more() > before.more()) {
    verdict.errors.Add(
        "", "has " + std::to_string(errors.more() - before.more()) + " errors more than before");
  }
}

bool IsOff(const api::Autoscaler& autoscaler) {
  return autoscaler.is_policy() && !api::ModeOf(autoscaler.spec).evaluates;
}

// Decodes an object as far as it can be read.
api::Autoscaler Read(const json::Cursor& object) {
  json::Decoder decoder(object);
  api::Autoscaler autoscaler;
  Decode(decoder.root(), autoscaler);
  return autoscaler;
}

// Whether every error of an HPA is one in every version of Kubernetes, rather than something that
// only a newer version allows. False if in doubt.
bool IsWrongForEver(const api::ObjectCheck& examination, const json::Cursor& object) {
  return std::ranges::all_of(
             examination.errors,
             [](const api::FieldError& error) { return error.later == api::Later::kStaysWrong; }) &&
         !api::CheckObject(object).completed.empty();
}

api::ObjectCheck Check(const json::Cursor& object, const ReviewOptions& options) {
  return api::CheckObject(object, api::UnknownFields::kIgnored, api::PolicySchema(), options.zones);
}

// For an object that has errors. `old_object`: the stored object to compare with, or absent.
void JudgeErrors(const api::ObjectCheck& now, const Review& review, const json::Cursor& old_object,
                 const ReviewOptions& options, Verdict& verdict) {
  if (IsHpa(review.object) &&
      (options.hpas != Hpas::kRefuse || !IsWrongForEver(now, review.object))) {
    Tolerate("", now.errors, verdict);
  } else if (review.subject.operation == "UPDATE" && IsOff(now.autoscaler)) {
    Tolerate("invalid while off: ", now.errors, verdict);
  } else if (!old_object.present()) {
    verdict.errors = now.errors;
  } else {
    const api::ObjectCheck before = Check(old_object, options);
    // Switching a policy on counts as creating it.
    Ratchet(now.errors, IsOff(before.autoscaler) ? api::FieldErrors() : before.errors, verdict);
  }
}

Outline OutlineOf(const Review& review) {
  Outline outline{.subject = review.subject};
  outline.subject.kind = review.object.Member("kind").Text();
  const json::Cursor spec = review.object.Member("spec");
  outline.switched_off = spec.IsObject() && !api::ModeOf(spec.Member("mode").Text()).evaluates;
  return outline;
}

// For an object that is not decoded, for the reason `why`.
Verdict JudgeUndecoded(const Outline& outline, const std::string& why) {
  Verdict verdict;
  if (outline.subject.kind == api::kHpaKind ||
      (outline.subject.operation == "UPDATE" && outline.switched_off)) {
    verdict.warnings.push_back("not checked: " + why);
  } else {
    verdict.errors.Add("", "is too large: " + why);
  }
  return verdict;
}

api::NamespaceRules RulesWith(std::optional<api::Labels> labels, const std::string& namespace_,
                              const ReviewOptions& options) {
  return {options.rules,
          {.name = namespace_,
           .labels = std::move(labels),
           .unknown = "the labels of namespace " + namespace_ + " could not be read"}};
}

// The rules for what the policy leaves out. Asks for labels only if they matter to it.
api::NamespaceRules RulesFor(const Review& review, const ReviewOptions& options) {
  const std::string& namespace_ = review.subject.namespace_;
  api::NamespaceRules rules = RulesWith(std::nullopt, namespace_, options);
  return rules.OpenDefaults(review.object).empty()
             ? rules
             : RulesWith(options.lookup.LabelsOf(namespace_, options.timeout), namespace_, options);
}

void CheckRules(const api::Autoscaler& policy, const api::AutoscalerSpec* stored,
                const Facts& facts, const ReviewOptions& options, Verdict& verdict) {
  api::NamespaceRules::Findings findings =
      RulesWith(facts.namespace_labels, policy.metadata.namespace_, options)
          .CheckLimits(policy.spec, stored);
  verdict.errors.Add(findings.errors);
  std::ranges::move(findings.warnings, std::back_inserter(verdict.warnings));
}

}  // namespace

Verdict Default(const Review& review, const ReviewOptions& options) {
  if (Concerns(review) && IsOverride(review)) {
    return StampOwner(review);
  }
  Verdict verdict;
  if (Concerns(review) && !IsBeingDeleted(review.object) &&
      review.object.Member("kind").Text() == api::kPolicyKind &&
      review.object.Member("apiVersion").Text() == api::kPolicyApiVersion &&
      api::CheckFields(review.object, api::PolicySchema(), api::Origin::kCustomResource,
                       api::UnknownFields::kIgnored)
          .empty()) {
    const api::NamespaceRules rules = RulesFor(review, options);
    verdict.patch = PatchOf(api::MissingDefaults(review.object, rules.Schema()));
    verdict.warnings = rules.OpenDefaults(review.object);
  }
  return verdict;
}

Verdict Validate(const Review& review, const ReviewOptions& options) {
  Verdict verdict;
  if (!Concerns(review) || IsBeingDeleted(review.object) ||
      (IsHpa(review.object) && options.hpas == Hpas::kOff)) {
    return verdict;
  }
  if (IsOverride(review)) {
    return ValidateOverride(review, options.longest_override, options.lookup);
  }
  const bool is_update = review.subject.operation == "UPDATE" && review.old_object.IsObject();
  if (is_update &&
      review.object.Member("spec").Print() == review.old_object.Member("spec").Print()) {
    return verdict;
  }
  if (const auto why = TooLong(review.object)) {
    return JudgeUndecoded(OutlineOf(review), *why);
  }
  // An old object that is too long to be decoded cannot be compared with.
  const json::Cursor before =
      is_update && !TooLong(review.old_object) ? review.old_object : json::Cursor();
  api::ObjectCheck now = Check(review.object, options);
  verdict.warnings = now.warnings;
  if (!now.errors.empty()) {
    JudgeErrors(now, review, before, options, verdict);
  }
  if (!verdict.allowed() || now.completed.empty()) {
    return verdict;
  }
  api::Autoscaler& autoscaler = now.autoscaler;
  if (autoscaler.metadata.namespace_.empty()) {
    autoscaler.metadata.namespace_ = review.subject.namespace_;
  }
  const api::Autoscaler old = before.present() ? Read(before) : api::Autoscaler();
  const bool takes_a_target =
      api::Scales(autoscaler) &&
      (!before.present() || !api::Scales(old) || !api::SameTarget(autoscaler.spec, old.spec));
  const bool may_refuse = autoscaler.is_policy() || options.hpas == Hpas::kRefuse;
  const Facts facts = options.lookup.LookUp(autoscaler, options.timeout);
  CheckCluster(autoscaler, facts,
               takes_a_target && may_refuse ? OnTrouble::kRefuse : OnTrouble::kWarn, verdict);
  CheckSources(autoscaler, old, facts, verdict);
  if (autoscaler.is_policy()) {
    CheckRules(autoscaler, before.present() ? &old.spec : nullptr, facts, options, verdict);
  }
  return verdict;
}

Verdict ValidateUnread(const Outline& outline, const std::string& why) {
  return Concerns(outline.subject) && !outline.being_deleted ? JudgeUndecoded(outline, why)
                                                             : Verdict();
}

}  // namespace ballast::webhooks
