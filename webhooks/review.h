// AdmissionReview, admission.k8s.io/v1: the question that the API server asks, and the answer.
//
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/base/result.h"
#include "api/json/json.h"
#include "api/kubernetes/field_error.h"

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

// What can be said of a review that is too large to be taken apart.
struct Outline {
  Subject subject;
  bool being_deleted = false;
  bool switched_off = false;  // a policy whose mode is Disabled
};

struct Verdict {
  api::FieldErrors errors;            // none: allowed
  std::vector<std::string> warnings;  // what kubectl prints
  std::string patch;                  // a JSON Patch; empty: none

  bool allowed() const { return errors.empty(); }
};

// kInvalid: it is no AdmissionReview of that version with a request, and why. `root` must live on
// in the result.
Result<Review> DecodeReview(const json::Cursor& root);
// The same from the text.
Result<Outline> DecodeOutline(std::string_view body);

// The API server refuses an answer without the uid. It has at most 64 KiB whatever the verdict: of
// errors and warnings the first are told, each cut to what people read.
std::string EncodeAnswer(const Subject& subject, const Verdict& verdict);

}  // namespace ballast::webhooks
