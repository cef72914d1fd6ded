#include "api/autoscaling/object_check.h"

#include <iterator>
#include <utility>

#include "api/autoscaling/conversion.h"
#include "api/autoscaling/defaults.h"
#include "api/autoscaling/pause_annotation.h"
#include "api/autoscaling/trust_annotation.h"
#include "api/autoscaling/validation.h"
#include "api/kubernetes/label_syntax.h"

namespace ballast::api {

namespace {

struct Kind {
  std::string_view api_version;
  std::string_view kind;
  const Field& (*schema)();
};

constexpr Kind kKinds[] = {
    {kPolicyApiVersion, kPolicyKind, PolicySchema},
    {kHpaApiVersion, kHpaKind, HpaSchema},
    {"autoscaling/v1", kHpaKind, HpaV1Schema},
    {"autoscaling/v2beta1", kHpaKind, HpaV2Beta1Schema},
    {"autoscaling/v2beta2", kHpaKind, HpaSchema},
};

const Kind* FindKind(const json::Cursor& object) {
  const std::string_view version = object.Member("apiVersion").Text();
  const std::string_view name = object.Member("kind").Text();
  for (const Kind& kind : kKinds) {
    if (kind.api_version == version && kind.kind == name) {
      return &kind;
    }
  }
  return nullptr;
}

// Kubernetes accepts any annotation on its own kind.
void JudgeAnnotations(ObjectCheck& out) {
  FieldErrors errors = CheckPause(out.autoscaler);
  errors.Add(CheckTrust(out.autoscaler));
  if (out.autoscaler.is_policy()) {
    out.errors.Add(errors);
    return;
  }
  for (const FieldError& error : errors) {
    out.warnings.push_back(Print(error));
  }
}

// Completes an object of the right shape and validates it.
void Judge(const json::Cursor& object, const Field& schema, Origin origin, ObjectCheck& out) {
  out.completed = Complete(object, schema);
  const auto document = json::Parse(out.completed);
  if (!document.ok()) {
    out.errors.Add("", document.error().message);
    return;
  }
  json::Decoder decoder(*document);
  Decode(decoder.root(), out.autoscaler);
  if (const Status status = decoder.status(); !status.ok()) {
    out.errors.Add("", status.error().message);
    return;
  }
  out.errors = ValidateMetadata(decoder.root().Member("metadata"), origin);
  out.errors.Add(ValidateSpec(out.autoscaler));
  JudgeAnnotations(out);
  std::vector<std::string> warnings = Warnings(out.autoscaler);
  std::move(warnings.begin(), warnings.end(), std::back_inserter(out.warnings));
}

}  // namespace

ObjectCheck CheckObject(const json::Cursor& object, UnknownFields unknown, const Field& policies) {
  ObjectCheck out;
  if (!object.IsObject()) {
    out.errors.Add("", "must be an object with apiVersion, kind, metadata and spec");
    return out;
  }
  const Kind* kind = FindKind(object);
  if (kind == nullptr) {
    out.errors.Add(
        "",
        "is neither an AutoScalePolicy (ballast.dev/v1alpha1) nor a HorizontalPodAutoscaler "
        "(autoscaling/v2); apiVersion is " +
            Quote(object.Member("apiVersion").Text()) + ", kind is " +
            Quote(object.Member("kind").Text()));
    return out;
  }
  const bool is_policy = kind->kind == kPolicyKind;
  const Origin origin = is_policy ? Origin::kCustomResource : Origin::kBuiltIn;
  const Field& schema = is_policy ? policies : kind->schema();
  out.errors = CheckFields(object, schema, origin, unknown);
  if (!out.errors.empty()) {
    return out;
  }
  if (kind->api_version == kHpaApiVersion || kind->api_version == kPolicyApiVersion) {
    Judge(object, schema, origin, out);
    return out;
  }
  if (kind->api_version != "autoscaling/v1") {
    out.warnings.push_back(std::string(kind->api_version) +
                           " is no longer served by Kubernetes; use autoscaling/v2");
  }
  const auto converted = json::Parse(ConvertToV2(object));
  if (!converted.ok()) {
    out.errors.Add("", converted.error().message);
    return out;
  }
  json::Decoder decoder(*converted);
  // Checked again, because the annotations are free text.
  out.errors = CheckFields(decoder.root(), HpaSchema(), Origin::kBuiltIn);
  if (out.errors.empty()) {
    Judge(decoder.root(), HpaSchema(), Origin::kBuiltIn, out);
  }
  return out;
}

}  // namespace ballast::api
