// What kubectl and the API server make of a manifest is what this program makes of it.
#include <gtest/gtest.h>

#include <algorithm>

#include "api/autoscaling/object_check.h"
#include "api/json/json_writer.h"
#include "operator/cli/manifests/manifest.h"
#include "tests/libraries/cases.h"

namespace ballast::testing {
namespace {

std::string PrintNames(const std::vector<cli::Manifest>& manifests) {
  json::Writer out;
  out.Array([&] {
    for (const cli::Manifest& manifest : manifests) {
      json::Decoder decoder(*manifest.document);
      out.Value(decoder.root().Member("metadata").Member("name").Text());
    }
  });
  return out.Take();
}

std::string PrintStored(const api::Autoscaler& autoscaler) {
  json::Writer out;
  out.Object([&] {
    out.Key("metadata");
    Encode(out, autoscaler.metadata);
    out.Key("spec");
    Encode(out, autoscaler.spec);
  });
  return out.Take();
}

Result<std::string> AnswerManifest(const json::Cursor& templates, const json::Cursor& one) {
  const auto manifests = cli::ManifestsOf(Around(templates, one));
  for (const cli::Manifest& manifest : manifests) {
    if (!manifest.document.ok()) {
      return manifest.document.error();
    }
  }
  if (one.Member("into").Text() == "documents") {
    return PrintNames(manifests);
  }
  if (manifests.size() != 1) {
    return Error{Code::kInvalid, std::to_string(manifests.size()) + " documents"};
  }
  json::Decoder decoder(*manifests.front().document);
  const api::ObjectCheck checked = api::CheckObject(decoder.root());
  // The libraries decode; what Kubernetes validates is in tests/conformance.
  const bool decoded =
      !checked.completed.empty() &&
      std::ranges::none_of(checked.errors, [](const auto& error) { return error.field.empty(); });
  if (!decoded) {
    return Error{Code::kInvalid, Print(checked.errors.front())};
  }
  const auto stored = json::Parse(PrintStored(checked.autoscaler));
  json::Decoder stored_decoder(*stored);
  return At(stored_decoder.root(), templates.Member(one.Member("into").Text()).Member("at").Text())
      .Print();
}

TEST(Libraries, ReadManifests) { CheckCases("manifests", "docs/admission.md", AnswerManifest); }

}  // namespace
}  // namespace ballast::testing
