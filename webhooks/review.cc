#include "webhooks/review.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "api/base64.h"
#include "api/utf8.h"

namespace ballast::webhooks {
namespace {

constexpr const char* kApiVersion = "admission.k8s.io/v1";
constexpr const char* kKind = "AdmissionReview";
constexpr std::size_t kMaxWarning = 120;
constexpr std::size_t kMaxWarnings = 4096;

// At most `size` bytes, no character cut in two.
std::string Shorten(const std::string& text, std::size_t size) {
  constexpr std::string_view kMore = "...";
  if (text.size() <= size) {
    return text;
  }
  const std::string begin = text.substr(0, size - kMore.size());
  return begin.substr(0, FindInvalidUtf8(begin)) + std::string(kMore);
}

void EncodeRefusal(json::Writer& out, const Subject& subject,
                   const std::vector<api::FieldError>& errors) {
  std::string message;
  for (const api::FieldError& error : errors) {
    message += (message.empty() ? "" : "; ") + Print(error);
  }
  out.Object("status", [&] {
    out.Field("status", "Failure");
    out.Field("code", 422);
    out.Field("reason", "Invalid");
    out.Field("message", message);
    out.Object("details", [&] {
      out.Field("kind", subject.kind);
      out.Field("name", subject.name);
      out.Array("causes", [&] {
        for (const api::FieldError& error : errors) {
          out.Object([&] {
            out.Field("reason", "FieldValueInvalid");
            out.Field("field", error.field);
            out.Field("message", error.message);
          });
        }
      });
    });
  });
}

}  // namespace

Result<Review> DecodeReview(const json::Cursor& root) {
  if (!root.IsObject() || root.Member("kind").Text() != kKind ||
      root.Member("apiVersion").Text() != kApiVersion) {
    return Error{Code::kInvalid, "the body must be an AdmissionReview of admission.k8s.io/v1"};
  }
  const json::Cursor request = root.Member("request");
  if (!request.IsObject()) {
    return Error{Code::kInvalid, "request: is required"};
  }
  Subject subject;
  request.Required("uid").Read(subject.uid);
  request.Required("operation").Read(subject.operation);
  const json::Cursor kind = request.Member("kind");
  if (!kind.IsObject()) {
    return Error{Code::kInvalid, "request.kind: is required"};
  }
  kind.Member("kind").Read(subject.kind);
  request.Member("namespace").Read(subject.namespace_);
  request.Member("name").Read(subject.name);
  request.Member("subResource").Read(subject.subresource);
  return Review{std::move(subject), request.Member("object"), request.Member("oldObject")};
}

std::string EncodeAnswer(const Subject& subject, const Verdict& verdict) {
  json::Writer out;
  out.Object([&] {
    out.Field("apiVersion", kApiVersion);
    out.Field("kind", kKind);
    out.Object("response", [&] {
      out.Field("uid", subject.uid);
      out.Field("allowed", verdict.allowed());
      if (!verdict.allowed()) {
        EncodeRefusal(out, subject, verdict.errors);
      }
      if (!verdict.patch.empty()) {
        out.Field("patchType", "JSONPatch");
        out.Field("patch", EncodeBase64(verdict.patch));
      }
      if (!verdict.warnings.empty()) {
        std::size_t left = kMaxWarnings;
        out.Array("warnings", [&] {
          for (const std::string& warning : verdict.warnings) {
            const std::string text = Shorten(warning, kMaxWarning);
            if (text.size() > left) {
              break;
            }
            left -= text.size();
            out.Value(text);
          }
        });
      }
    });
  });
  return out.Take();
}

}  // namespace ballast::webhooks
