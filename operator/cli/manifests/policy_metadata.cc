#include "operator/cli/manifests/policy_metadata.h"

#include <algorithm>
#include <array>

#include "api/autoscaling/rewrite.h"
#include "api/autoscaling/schema.h"

namespace ballast::cli {
namespace {

// Of the API server, or of a client's last apply.
constexpr std::array<std::string_view, 8> kBookkeeping = {
    "uid",      "resourceVersion",   "generation",        "managedFields",
    "selfLink", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"};
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
constexpr std::string_view kKedaFinalizer = "finalizer.keda.sh";

bool IsBookkeeping(std::string_view name) { return std::ranges::count(kBookkeeping, name) > 0; }

void ListFinalizers(const json::Cursor& finalizers, std::vector<Loss>& losses) {
  for (const json::Cursor& finalizer : finalizers.Elements()) {
    if (finalizer.Text() != kKedaFinalizer) {
      losses.push_back({"metadata.finalizers", std::string(finalizer.Text()) +
                                                   " guards the old object; the policy has none"});
    }
  }
}

}  // namespace

void WritePolicyMetadata(
    json::Writer& out, const json::Cursor& metadata,
    const std::function<AnnotationVerdict(std::string_view name, std::string_view text)>& judge,
    std::vector<Loss>& losses) {
  const auto known = json::Parse(
      api::Rewrite(metadata, *api::PolicySchema().Find("metadata"), api::Unknown::kDropped));
  json::Decoder decoder(*known);
  bool annotated = false;
  const auto annotation = [&](std::string_view name, const json::Cursor& text) {
    const AnnotationVerdict verdict = name == kLastApplied
                                          ? AnnotationVerdict{AnnotationDisposition::kConverted, ""}
                                          : judge(name, text.Text());
    if (verdict.disposition == AnnotationDisposition::kLost) {
      losses.push_back({"metadata.annotations[" + std::string(name) + "]", verdict.why});
    }
    if (verdict.disposition != AnnotationDisposition::kKept) {
      return;
    }
    if (!annotated) {
      out.Key("annotations");
      out.BeginObject();
      annotated = true;
    }
    out.Key(name);
    out.Raw(text.Print());
  };
  out.Object("metadata", [&] {
    for (const auto& [name, value] : decoder.root().Members()) {
      if (!value.present() || IsBookkeeping(name)) {
        continue;
      }
      if (name == "annotations") {
        for (const auto& [key, text] : value.Members()) {
          annotation(key, text);
        }
        if (annotated) {
          out.EndObject();
        }
      } else if (name == "finalizers") {
        ListFinalizers(value, losses);
      } else if (name == "ownerReferences") {
        losses.push_back({"metadata.ownerReferences",
                          "the owner made the old object, and does not make the policy"});
      } else {
        out.Key(name);
        out.Raw(value.Print());
      }
    }
  });
}

}  // namespace ballast::cli
