#include "webhooks/admit_override.h"

#include <string>

#include "api/autoscaling/override.h"
#include "api/autoscaling/strict_fields.h"
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

Verdict ValidateOverride(const Review& review, Duration longest) {
  Verdict verdict;
  if (review.subject.operation == "UPDATE") {
    if (review.object.Member("spec").Print() != review.old_object.Member("spec").Print()) {
      verdict.errors.Add("spec",
                         "is immutable: end the override by deleting it (ballast override end "
                         "NAME), and make another one");
    }
    return verdict;
  }
  verdict.errors = api::CheckFields(review.object, api::OverrideSchema(),
                                    api::Origin::kCustomResource, api::UnknownFields::kIgnored);
  if (!verdict.allowed()) {
    return verdict;
  }
  json::Decoder decoder(review.object);
  api::AutoScaleOverride override;
  Decode(decoder.root(), override);
  if (const Status read = decoder.status(); !read.ok()) {
    verdict.errors.Add("", read.error().message);
    return verdict;
  }
  verdict.errors = api::CheckOverride(override, longest);
  return verdict;
}

}  // namespace ballast::webhooks
