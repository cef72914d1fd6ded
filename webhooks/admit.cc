#include "webhooks/admit.h"

#include <map>
#include <string>
#include <utility>

#include "api/examine.h"
#include "webhooks/json_patch.h"
#include "webhooks/surroundings.h"

namespace ballast::webhooks {
namespace {

bool Concerns(const Review& review) {
  return (review.subject.operation == "CREATE" || review.subject.operation == "UPDATE") &&
         review.subject.subresource.empty() && review.object.IsObject();
}

bool IsBeingDeleted(const json::Cursor& object) {
  const json::Cursor metadata = object.Member("metadata");
  return metadata.IsObject() && metadata.Member("deletionTimestamp").present();
}

// What an error is about, wherever in a list it stands.
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

using Errors = std::vector<api::FieldError>;

void Tolerate(const char* why, const api::FieldError& error, Verdict& verdict) {
  verdict.warnings.push_back(std::string(why) + ": " + error.field + ": " + error.message);
}

// Refuses for the errors that are new, and warns of those that `before` has as well.
void Ratchet(const Errors& errors, const Errors& before, Verdict& verdict) {
  std::map<std::string, int> known;
  for (const api::FieldError& error : before) {
    ++known[Identity(error)];
  }
  for (const api::FieldError& error : errors) {
    if (int& left = known[Identity(error)]; left > 0) {
      --left;
      Tolerate("still invalid", error, verdict);
    } else {
      verdict.errors.push_back(error);
    }
  }
}

bool IsOff(const api::Autoscaler& autoscaler) {
  return autoscaler.is_policy() && autoscaler.spec.mode == "Disabled";
}

// Whether it scales anything at all as long as it stays as it is. A mode left out is the default.
bool IsActive(const api::Autoscaler& autoscaler) {
  return !autoscaler.is_policy() || autoscaler.spec.mode.empty() ||
         autoscaler.spec.mode == "Active";
}

// What an object says, as far as it can be read.
api::Autoscaler Read(const json::Cursor& object) {
  json::Decoder decoder(object);
  api::Autoscaler autoscaler;
  Decode(decoder.root(), autoscaler);
  return autoscaler;
}

// Of an update that still has errors: those that are new refuse it.
void JudgeErrors(const api::Examination& now, const json::Cursor& old_object, Verdict& verdict) {
  if (IsOff(now.autoscaler)) {
    for (const api::FieldError& error : now.errors) {
      Tolerate("invalid, to be mended before it is switched on", error, verdict);
    }
    return;
  }
  const api::Examination before = api::Examine(old_object, api::UnknownFields::kIgnored);
  // To switch it on is like creating it.
  Ratchet(now.errors, IsOff(before.autoscaler) ? Errors() : before.errors, verdict);
}

bool SameTarget(const api::AutoscalerSpec& a, const api::AutoscalerSpec& b) {
  const api::CrossVersionObjectReference& x = a.scale_target_ref;
  const api::CrossVersionObjectReference& y = b.scale_target_ref;
  return x.api_version == y.api_version && x.kind == y.kind && x.name == y.name;
}

}  // namespace

Verdict Default(const Review& review) {
  Verdict verdict;
  if (!Concerns(review) || IsBeingDeleted(review.object)) {
    return verdict;
  }
  const api::Examination examination = api::Examine(review.object, api::UnknownFields::kIgnored);
  const std::string version(review.object.Member("apiVersion").Text());
  if (version != api::kPolicyApiVersion && version != api::kHpaApiVersion) {
    return verdict;  // completed it would be of another version
  }
  if (const auto completed = json::Parse(examination.completed); completed.ok()) {
    json::Decoder decoder(*completed);
    verdict.patch = PatchTo(review.object, decoder.root());
  }
  return verdict;
}

Verdict Validate(const Review& review, Lookup& lookup) {
  Verdict verdict;
  if (!Concerns(review) || IsBeingDeleted(review.object)) {
    return verdict;
  }
  const bool is_update = review.subject.operation == "UPDATE" && review.old_object.IsObject();
  if (is_update &&
      review.object.Member("spec").Print() == review.old_object.Member("spec").Print()) {
    return verdict;
  }
  api::Examination now = api::Examine(review.object, api::UnknownFields::kIgnored);
  verdict.warnings = now.warnings;
  if (!is_update) {
    verdict.errors = now.errors;
  } else if (!now.errors.empty()) {
    JudgeErrors(now, review.old_object, verdict);
  }
  if (!verdict.allowed() || now.completed.empty()) {
    return verdict;
  }
  api::Autoscaler& autoscaler = now.autoscaler;
  if (autoscaler.metadata.namespace_.empty()) {
    autoscaler.metadata.namespace_ = review.subject.namespace_;
  }
  const api::Autoscaler before = is_update ? Read(review.old_object) : api::Autoscaler();
  const bool takes_over =
      !is_update || !IsActive(before) || !SameTarget(autoscaler.spec, before.spec);
  JudgeSurroundings(autoscaler, lookup.LookUp(autoscaler),
                    IsActive(autoscaler) && takes_over ? OnTrouble::kRefuse : OnTrouble::kWarn,
                    verdict);
  return verdict;
}

}  // namespace ballast::webhooks
