// AdmissionReview, admission.k8s.io/v1: decodes the API server's request and encodes the response.
//
// Errors: kInvalid for what is not an AdmissionReview of that version with a request.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/base/result.h"
#include "api/json/json.h"
#include "api/kubernetes/field_error.h"

namespace ballast::webhooks {

// The object and operation under review.
struct ReviewSubject {
  std::string uid;        // of the request; the response repeats it
  std::string operation;  // "CREATE", "UPDATE", "DELETE", "CONNECT"
  std::string kind;
  std::string namespace_;
  std::string name;  // empty if the API server is to generate it
  std::string subresource;
  std::string user;  // who sent it; the API server has authenticated them
};

struct Review {
  ReviewSubject subject;
  // Absent depending on the operation. The Decoder they come from must outlive the Review.
  json::Cursor object;
  json::Cursor old_object;
};

// What can be read from a review that is too large to be decoded.
struct Outline {
  ReviewSubject subject;
  bool being_deleted = false;
  bool switched_off = false;  // a policy whose mode is Disabled
};

struct Verdict {
  api::FieldErrors errors;            // empty: allowed
  std::vector<std::string> warnings;  // shown by kubectl
  std::string patch;                  // a JSON Patch; empty: none

  bool allowed() const { return errors.empty(); }
};

// Decodes a review. kInvalid: `root` is not an AdmissionReview of that version with a request, a
// field is missing, or a name is too long. The Document and Decoder of `root` must outlive the
// Review.
Result<Review> DecodeReview(const json::Cursor& root);
// Decodes an outline from the text, with the same errors.
Result<Outline> DecodeOutline(std::string_view body);

// Encodes the response; the API server rejects one without the uid. Errors and warnings are cut so
// that the response has at most 64 KiB: only the first are included, each shortened. The patch is
// not cut: Default()'s are small.
std::string EncodeAnswer(const ReviewSubject& subject, const Verdict& verdict);

}  // namespace ballast::webhooks
