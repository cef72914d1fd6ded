// AdmissionReview, admission.k8s.io/v1: the question that the API server asks, and the answer.
//
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <vector>

#include "api/field_error.h"
#include "api/json.h"
#include "api/result.h"

namespace ballast::webhooks {

// What is asked about.
struct Subject {
  std::string uid;        // of the question
  std::string operation;  // "CREATE", "UPDATE", "DELETE", "CONNECT"
  std::string kind;
  std::string namespace_;
  std::string name;  // empty when the API server is to make one up
  std::string subresource;
};

struct Review {
  Subject subject;
  // Absent as the operation has it. Valid as long as the decoder they came from.
  json::Cursor object;
  json::Cursor old_object;
};

struct Verdict {
  std::vector<api::FieldError> errors;  // none: allowed
  std::vector<std::string> warnings;    // what kubectl prints
  std::string patch;                    // a JSON Patch; empty: none

  bool allowed() const { return errors.empty(); }
};

// kInvalid: it is no AdmissionReview of that version with a request, and why. `root` must live on
// in the result.
Result<Review> DecodeReview(const json::Cursor& root);

// The API server refuses an answer without the uid. Warnings are cut to what it passes on: 120
// characters each, 4096 together.
std::string EncodeAnswer(const Subject& subject, const Verdict& verdict);

}  // namespace ballast::webhooks
