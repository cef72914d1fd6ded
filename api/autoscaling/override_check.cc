#include "api/autoscaling/override_check.h"

#include <algorithm>
#include <string>

#include "api/autoscaling/override.h"
#include "api/autoscaling/validation.h"
#include "api/kubernetes/label_syntax.h"

namespace ballast::api {
namespace {

bool IsWithin(const std::string& field, const std::string& whole) {
  return field.starts_with(whole) &&
         (field.size() == whole.size() || field[whole.size()] == '.' || field[whole.size()] == '[');
}

// Whether there is nothing more to say: a field of what is missing, or an object, because of a
// member that its message names.
bool FollowsFrom(const FieldError& known, const FieldError& error) {
  if (IsWithin(error.field, known.field)) {
    return true;
  }
  if (!IsWithin(known.field, error.field)) {
    return false;
  }
  const std::string below = known.field.substr(error.field.size() + 1);
  return error.message.find(below.substr(0, below.find_first_of(".["))) != std::string::npos;
}

void AddOthers(const FieldErrors& more, FieldErrors& errors) {
  const FieldErrors before = errors;
  for (const FieldError& error : more) {
    if (std::ranges::none_of(before,
                             [&](const FieldError& known) { return FollowsFrom(known, error); })) {
      errors.Add(error.field, error.message);
    }
  }
}

}  // namespace

FieldErrors CheckOverrideObject(const json::Cursor& object, UnknownFields unknown, Duration longest,
                                Time now) {
  FieldErrors errors =
      CheckFields(object, OverrideSchema(), Origin::kCustomResource, unknown, Values::kChecked);
  if (!object.IsObject()) {
    return errors;
  }
  if (const std::string_view version = object.Member("apiVersion").Text();
      version != kPolicyApiVersion) {
    errors.Add("apiVersion",
               "must be " + std::string(kPolicyApiVersion) + ", is " + Quote(version));
  }
  if (object.Member("metadata").IsObject()) {
    AddOthers(ValidateMetadata(object.Member("metadata"), Origin::kCustomResource), errors);
  }
  json::Decoder decoder(object);
  AutoScaleOverride override;
  Decode(decoder.root(), override);
  if (const Status read = decoder.status(); !read.ok() && errors.empty()) {
    errors.Add("", read.error().message);
  }
  override.metadata.creation_timestamp = override.metadata.creation_timestamp.value_or(now);
  AddOthers(CheckOverride(override, longest), errors);
  return errors;
}

}  // namespace ballast::api
