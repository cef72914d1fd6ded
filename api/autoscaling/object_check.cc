#include "api/autoscaling/object_check.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>

#include "api/autoscaling/conversion.h"
#include "api/autoscaling/defaults.h"
#include "api/autoscaling/override.h"
#include "api/autoscaling/pause_annotation.h"
#include "api/autoscaling/schedule_contradictions.h"
#include "api/autoscaling/trust_annotation.h"
#include "api/autoscaling/validation.h"
#include "api/base/near_names.h"
#include "api/json/json_writer.h"
#include "api/kubernetes/label_syntax.h"

namespace ballast::api {

namespace {

struct Kind {
  std::string_view api_version;
  std::string_view kind;
  const SchemaField& (*schema)();
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

std::string WithoutKind(const json::Cursor& object) {
  const std::string kind(object.Member("kind").Text());
  std::vector<std::string> kinds = {kPolicyKind, kOverrideKind, kHpaKind};
  const bool known = std::ranges::count(kinds, kind) > 0;  // only the version is wrong
  return "is none of AutoScalePolicy and AutoScaleOverride (ballast.dev/v1alpha1) and "
         "HorizontalPodAutoscaler (autoscaling/v2); apiVersion is " +
         Quote(object.Member("apiVersion").Text()) + ", kind is " + Quote(kind) +
         (known ? "" : DidYouMean(kind, std::move(kinds)));
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
void Judge(const json::Cursor& object, const SchemaField& schema, Origin origin,
           const ZoneCheck& zones, ObjectCheck& out) {
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
  out.errors.Add(ValidateSpec(out.autoscaler, zones));
  out.errors.Add(FindContradictions(out.autoscaler.spec, zones));
  JudgeAnnotations(out);
  std::vector<std::string> warnings = Warnings(out.autoscaler);
  std::move(warnings.begin(), warnings.end(), std::back_inserter(out.warnings));
}

// People believe that the annotations of old versions work in every version, and in YAML.
void WarnOfIgnoredAnnotations(const json::Cursor& object, const Kind& kind, ObjectCheck& out) {
  const bool reads_them =
      kind.api_version == "autoscaling/v1" || kind.api_version == "autoscaling/v2beta1";
  for (const char* field : {"metrics", "behavior"}) {
    const std::string name = std::string(kAlphaAnnotations) + field;
    const json::Cursor text = object.Member("metadata").Member("annotations").Member(name);
    if (!text.present()) {
      continue;
    }
    if (!reads_them) {
      out.warnings.push_back("annotation " + name + " is ignored in " +
                             std::string(kind.api_version) + "; use spec." + field);
      continue;
    }
    const AlphaAnnotation read = ReadAlphaAnnotation(object, field);
    for (const FieldError& error : read.ignored) {
      out.warnings.push_back("annotation " + name +
                             (read.content ? ": Kubernetes ignores " : " is ignored: ") +
                             Print(error));
    }
  }
}

// Converts an object of the right shape if it is of an older version, and judges it.
void JudgeAnyVersion(const json::Cursor& object, const Kind& kind, const SchemaField& schema,
                     Origin origin, const ZoneCheck& zones, ObjectCheck& out) {
  WarnOfIgnoredAnnotations(object, kind, out);
  if (kind.api_version == kHpaApiVersion || kind.api_version == kPolicyApiVersion) {
    Judge(object, schema, origin, zones, out);
    return;
  }
  if (kind.api_version != "autoscaling/v1") {
    out.warnings.push_back(std::string(kind.api_version) +
                           " is no longer served by Kubernetes; use autoscaling/v2");
  }
  const auto converted = json::Parse(ConvertToV2(object));
  if (!converted.ok()) {
    out.errors.Add("", converted.error().message);
    return;
  }
  json::Decoder decoder(*converted);
  // Checked again, because the annotations are free text.
  out.errors = CheckFields(decoder.root(), HpaSchema(), Origin::kBuiltIn);
  if (out.errors.empty()) {
    Judge(decoder.root(), HpaSchema(), Origin::kBuiltIn, zones, out);
  }
}

// Writes the value without what is at these places; an element of a list becomes null.
void WriteWithout(const std::set<std::string>& places, const json::Cursor& in,
                  const std::string& path, json::Writer& out) {
  if (in.IsObject()) {
    out.Object([&] {
      for (const auto& [name, value] : in.Members()) {
        const std::string place = (path.empty() ? "" : path + ".") + std::string(name);
        if (!places.contains(place)) {
          out.Key(name);
          WriteWithout(places, value, place, out);
        }
      }
    });
  } else if (in.IsArray()) {
    out.Array([&] {
      std::size_t i = 0;
      for (const json::Cursor& element : in.Elements()) {
        const std::string place = path + "[" + std::to_string(i++) + "]";
        if (places.contains(place)) {
          out.Raw("null");
        } else {
          WriteWithout(places, element, place, out);
        }
      }
    });
  } else {
    out.Raw(in.Print());
  }
}

// What is wrong with the object apart from the fields that are open. Empty if in doubt.
FieldErrors JudgeRest(const json::Cursor& object, const std::vector<std::string>& open,
                      const Kind& kind, const SchemaField& schema, Origin origin,
                      const ZoneCheck& zones) {
  json::Writer out;
  WriteWithout({open.begin(), open.end()}, object, "", out);
  const auto document = json::Parse(out.Take());
  if (!document.ok()) {
    return {};
  }
  json::Decoder decoder(*document);
  if (!CheckFields(decoder.root(), schema, origin).empty()) {
    return {};
  }
  ObjectCheck rest;
  JudgeAnyVersion(decoder.root(), kind, schema, origin, zones, rest);
  FieldErrors errors;
  for (const FieldError& error : rest.errors) {
    const bool follows = std::ranges::any_of(open, [&](const std::string& place) {
      return error.field.starts_with(place) &&
             (error.field.size() == place.size() || error.field[place.size()] == '.' ||
              error.field[place.size()] == '[');
    });
    if (!follows) {
      errors.Add(error.field, error.message, error.later);
    }
  }
  return errors;
}

}  // namespace

ObjectCheck CheckObject(const json::Cursor& object, UnknownFields unknown,
                        const SchemaField& policies, const ZoneCheck& zones) {
  ObjectCheck out;
  if (!object.IsObject()) {
    out.errors.Add("", "must be an object with apiVersion, kind, metadata and spec");
    return out;
  }
  const Kind* kind = FindKind(object);
  if (kind == nullptr) {
    out.errors.Add("", WithoutKind(object));
    return out;
  }
  const bool is_policy = kind->kind == kPolicyKind;
  const Origin origin = is_policy ? Origin::kCustomResource : Origin::kBuiltIn;
  const SchemaField& schema = is_policy ? policies : kind->schema();
  ShapeErrors shape = CheckShape(object, schema, origin, unknown);
  if (shape.errors.empty()) {
    JudgeAnyVersion(object, *kind, schema, origin, zones, out);
  } else {
    out.further = JudgeRest(object, shape.open, *kind, schema, origin, zones);
    out.errors = std::move(shape.errors);
  }
  return out;
}

}  // namespace ballast::api
