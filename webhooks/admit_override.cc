#include "webhooks/admit_override.h"

#include <string>

#include "api/autoscaling/override.h"
#include "api/autoscaling/override_check.h"
#include "api/base/utf8.h"
#include "api/json/json_writer.h"

namespace ballast::webhooks {
namespace {

// A JSON Patch of one operation.
std::string OwnerPatch(const char* operation, const std::string& owner) {
  json::Writer out;
  out.Array([&] {
    out.Object([&] {
      out.Field("op", operation);
      out.Field("path", "/spec/owner");
      if (!owner.empty()) {
        out.Field("value", owner);
      }
    });
  });
  return out.Take();
}

std::string OwnerOf(const json::Cursor& object) {
  const json::Cursor spec = object.Member("spec");
  return spec.IsObject() ? std::string(spec.Member("owner").Text()) : std::string();
}

// Of autoscalers whose bounds the override's count is beyond.
void WarnOfLimits(const Review& review, Lookup& lookup, Verdict& verdict) {
  json::Decoder decoder(review.object);
  api::AutoScaleOverride override;
  Decode(decoder.root(), override);
  override.metadata.namespace_ = review.subject.namespace_;
  std::string first;
  int others = 0;
  for (const auto& autoscaler : lookup.SubjectsOf(override)) {
    const std::string limit = api::LimitOf(override.spec, *autoscaler, nullptr);
    others += !limit.empty() && !first.empty() ? 1 : 0;
    first = first.empty() ? limit : first;
  }
  if (!first.empty()) {
    verdict.warnings.push_back(
        std::string(NameOf(*override.spec.type())) + ": " + first +
        (others > 0 ? "; " + std::to_string(others) + " more have bounds that limit it" : ""));
  }
}

}  // namespace

bool IsOverride(const Review& review) {
  return review.object.IsObject() && review.object.Member("kind").Text() == api::kOverrideKind;
}

Verdict StampOwner(const Review& review) {
  const bool is_new = review.subject.operation == "CREATE";
  const std::string present = OwnerOf(review.object);
  const std::string owner =
      is_new ? Shorten(review.subject.user, api::kMaxOwner) : OwnerOf(review.old_object);
  Verdict verdict;
  if (owner == present || !review.object.Member("spec").IsObject()) {
    return verdict;
  }
  // "add" replaces what is there.
  verdict.patch = owner.empty() ? OwnerPatch("remove", "") : OwnerPatch("add", owner);
  return verdict;
}

Verdict ValidateOverride(const Review& review, Duration longest, Lookup& lookup) {
  Verdict verdict;
  if (review.subject.operation == "UPDATE") {
    if (review.object.Member("spec").Print() != review.old_object.Member("spec").Print()) {
      verdict.errors.Add("spec",
                         "is immutable: end the override (ballast override end NAME), and make "
                         "another one");
    }
    return verdict;
  }
  // The API server has said when it is made.
  verdict.errors = api::CheckOverrideObject(review.object, api::UnknownFields::kIgnored, longest,
                                            /*now=*/{});
  if (verdict.allowed() && review.object.Member("ended").present()) {
    verdict.warnings.push_back(api::kMadeEnded);
  } else if (verdict.allowed()) {
    WarnOfLimits(review, lookup, verdict);
  }
  return verdict;
}

}  // namespace ballast::webhooks
