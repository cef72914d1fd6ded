#include <optional>
#include <string_view>

#include "api/autoscaling/conversion.h"
#include "api/autoscaling/mode.h"
#include "api/autoscaling/rewrite.h"
#include "api/autoscaling/schema.h"
#include "api/autoscaling/types.h"
#include "api/json/json_writer.h"
#include "operator/cli/manifests/policy_metadata.h"
#include "operator/cli/manifests/policy_of.h"

namespace ballast::cli {
namespace {

AnnotationVerdict JudgeAlpha(const json::Cursor& hpa, std::string_view name) {
  const std::string_view version = hpa.Member("apiVersion").Text();
  const std::string_view what = name.substr(api::kAlphaAnnotations.size());
  if (what == "conditions" || what == "current-metrics") {
    return {AnnotationDisposition::kConverted, ""};
  }
  if (what != "metrics" && what != "behavior") {
    return {};
  }
  if (version != "autoscaling/v1" && version != "autoscaling/v2beta1") {
    return {AnnotationDisposition::kLost, "Kubernetes ignores it in " + std::string(version)};
  }
  const api::AlphaAnnotation read = api::ReadAlphaAnnotation(hpa, what);
  if (read.ignored.empty()) {
    return {AnnotationDisposition::kConverted, ""};
  }
  return {AnnotationDisposition::kLost, std::string("Kubernetes ignores ") +
                                            (read.content ? "" : "it: ") +
                                            Print(read.ignored.front())};
}

AnnotationVerdict Judge(const json::Cursor& hpa, std::string_view name) {
  if (name == api::kHpaMode) {
    return {AnnotationDisposition::kLost, "a policy has spec.mode instead"};
  }
  return name.starts_with(api::kAlphaAnnotations) ? JudgeAlpha(hpa, name) : AnnotationVerdict{};
}

// The ScaledObject for which KEDA made the HPA; empty: none.
std::string ScaledObjectOf(const json::Cursor& metadata) {
  for (const json::Cursor& owner : metadata.Member("ownerReferences").Elements()) {
    if (owner.Member("kind").Text() == "ScaledObject") {
      return std::string(owner.Member("name").Text());
    }
  }
  return "";
}

void WriteSpec(json::Writer& out, const json::Cursor& spec) {
  out.Object("spec", [&] {
    for (const auto& [name, value] : spec.Members()) {
      // An empty list means what a missing one does, but a CRD fills in only what is missing.
      if (!value.present() || (name == "metrics" && value.Elements().empty())) {
        continue;
      }
      if (const api::SchemaField* field = api::PolicySchema().Find("spec")->Find(name)) {
        out.Key(name);
        out.Raw(api::Rewrite(value, *field, api::Unknown::kDropped));
      }
    }
  });
}

}  // namespace

ConvertedPolicy PolicyOfHpa(const json::Cursor& hpa) {
  ConvertedPolicy converted;
  const json::Cursor metadata = hpa.Member("metadata");
  if (const std::string owner = ScaledObjectOf(metadata); !owner.empty()) {
    converted.losses.push_back(
        {"", "KEDA made it for ScaledObject " + owner + ", which is what to convert"});
    return converted;
  }
  const std::string version(hpa.Member("apiVersion").Text());
  std::optional<json::Document> as_v2;
  if (version != api::kHpaApiVersion) {
    as_v2 = json::Parse(api::ConvertToV2(hpa)).value();
  }
  json::Writer out;
  out.Object([&] {
    out.Field("apiVersion", api::kPolicyApiVersion);
    out.Field("kind", api::kPolicyKind);
    WritePolicyMetadata(
        out, metadata, [&](std::string_view name, std::string_view) { return Judge(hpa, name); },
        converted.losses);
    if (as_v2) {
      json::Decoder decoder(*as_v2);
      WriteSpec(out, decoder.root().Member("spec"));
    } else {
      WriteSpec(out, hpa.Member("spec"));
    }
  });
  converted.policy = out.Take();
  return converted;
}

}  // namespace ballast::cli
