// The metadata of a policy that is made from another autoscaler.
//
// Errors: as in policy_of.h.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "api/json/json_writer.h"
#include "operator/cli/manifests/policy_of.h"

namespace ballast::cli {

enum class AnnotationDisposition {
  kKept,
  kConverted,  // to a field, or it has no effect
  kLost,
};

struct AnnotationVerdict {
  AnnotationDisposition disposition = AnnotationDisposition::kKept;
  std::string why;  // of kLost
};

// Writes the member "metadata": names, labels and the annotations that `judge` keeps. Adds what is
// lost to `losses`, but for fields that are not known.
void WritePolicyMetadata(
    json::Writer& out, const json::Cursor& metadata,
    const std::function<AnnotationVerdict(std::string_view name, std::string_view text)>& judge,
    std::vector<Loss>& losses);

}  // namespace ballast::cli
