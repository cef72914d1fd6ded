// The AutoScalePolicy that does what another autoscaler does, for `ballast convert`, and what of
// the other has no counterpart in it.
//
// What the API server or the other controller keeps in an object (uid, managedFields, status, ...)
// is no setting: it is neither converted nor listed.
//
// Errors: none returned. The input may have any shape: what is not of the expected one is a problem
// of the cursor's decoder, and the policy is to be checked like any other (object_check.h).
#pragma once

#include <string>
#include <vector>

#include "api/json/json.h"

namespace ballast::cli {

// A field without a counterpart, or with one that differs.
struct Loss {
  std::string field;  // "spec.triggers[1]"; empty: the object as a whole
  std::string why;
};

struct ConvertedPolicy {
  std::string policy;  // JSON; empty: there is none, and a loss says why
  std::vector<Loss> losses;
};

// `hpa`: a valid HorizontalPodAutoscaler of any version.
ConvertedPolicy PolicyOfHpa(const json::Cursor& hpa);

// `object`: a ScaledObject of keda.sh/v1alpha1. Where a trigger is lost, the policy's mode is
// DryRun: with fewer metrics it would scale in what the missing one holds up.
// `prometheus_source`: the source that gets the queries of triggers of type prometheus; empty: they
// are lost.
ConvertedPolicy PolicyOfScaledObject(const json::Cursor& object,
                                     const std::string& prometheus_source = "");

}  // namespace ballast::cli
