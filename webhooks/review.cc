#include "webhooks/review.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "api/autoscaling/mode.h"
#include "api/base/base64.h"
#include "api/base/utf8.h"
#include "api/json/json_writer.h"
#include "api/json/pick_texts.h"
#include "webhooks/limits.h"

namespace ballast::webhooks {
namespace {

constexpr const char* kApiVersion = "admission.k8s.io/v1";
constexpr const char* kKind = "AdmissionReview";
constexpr const char* kNoReview = "the body must be an AdmissionReview of admission.k8s.io/v1";
constexpr std::size_t kMaxMessage = 4096;
constexpr std::size_t kMaxCauses = std::size_t{40} * 1024;

// Admits texts as long as together they fit, counted as the bytes that JSON needs for them.
class TextBudget {
 public:
  explicit TextBudget(std::size_t size) : left_(size) {}
  bool Take(std::string_view text) {
    std::size_t size = text.size();
    for (const char c : text) {
      size += static_cast<unsigned char>(c) < 0x20 ? 5 : c == '"' || c == '\\' ? 1 : 0;
    }
    const bool fits = size <= left_;
    left_ = fits ? left_ - size : 0;
    return fits;
  }

 private:
  std::size_t left_;
};

// "spec.a: is bad; spec.b: is bad; and 7 more errors"
std::string Message(const api::FieldErrors& errors) {
  std::string message;
  TextBudget room(kMaxMessage);
  std::size_t told = 0;
  for (const api::FieldError& error : errors) {
    const std::string text = Print(error);
    if (!room.Take(text)) {
      break;
    }
    message += (told == 0 ? "" : "; ") + text;
    ++told;
  }
  if (const std::size_t more = errors.size() - told; more > 0) {
    message += (told == 0 ? "" : "; and ") + std::to_string(more) + (told == 0 ? "" : " more") +
               (more == 1 ? " error" : " errors");
  }
  return message;
}

void EncodeRefusal(json::Writer& out, const ReviewSubject& subject,
                   const api::FieldErrors& errors) {
  out.Object("status", [&] {
    out.Field("status", "Failure");
    out.Field("code", 422);
    out.Field("reason", "Invalid");
    out.Field("message", Message(errors));
    out.Object("details", [&] {
      out.Field("kind", subject.kind);
      out.Field("name", subject.name);
      out.Array("causes", [&] {
        TextBudget room(kMaxCauses);
        for (const api::FieldError& error : errors) {
          if (!room.Take(error.field) || !room.Take(error.message)) {
            break;
          }
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

void EncodeWarnings(json::Writer& out, const std::vector<std::string>& warnings) {
  TextBudget room(kMaxWarnings);
  out.Array("warnings", [&] {
    for (const std::string& warning : warnings) {
      const std::string text = Shorten(warning, kMaxWarning);
      if (!room.Take(text)) {
        break;
      }
      out.Value(text);
    }
  });
}

// Names go into answers, logs and requests, so their length is bounded.
Status CheckNames(const ReviewSubject& subject) {
  const auto too_long = [](const std::string& text) { return text.size() > kMaxName; };
  if (too_long(subject.uid) || too_long(subject.operation) || too_long(subject.kind) ||
      too_long(subject.namespace_) || too_long(subject.name) || too_long(subject.subresource)) {
    return Error{Code::kInvalid,
                 "request: a name has more than " + std::to_string(kMaxName) + " bytes"};
  }
  return Done{};
}

}  // namespace

Result<Review> DecodeReview(const json::Cursor& root) {
  if (!root.IsObject() || root.Member("kind").Text() != kKind ||
      root.Member("apiVersion").Text() != kApiVersion) {
    return Error{Code::kInvalid, kNoReview};
  }
  const json::Cursor request = root.Member("request");
  if (!request.IsObject()) {
    return Error{Code::kInvalid, "request: is required"};
  }
  ReviewSubject subject;
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
  if (const json::Cursor user = request.Member("userInfo"); user.IsObject()) {
    user.Member("username").Read(subject.user);
  }
  TRY(CheckNames(subject));
  return Review{std::move(subject), request.Member("object"), request.Member("oldObject")};
}

Result<Outline> DecodeOutline(std::string_view body) {
  static const std::set<std::string> kPaths = {"kind",
                                               "apiVersion",
                                               "request.uid",
                                               "request.operation",
                                               "request.kind.kind",
                                               "request.namespace",
                                               "request.name",
                                               "request.subResource",
                                               "request.object.metadata.deletionTimestamp",
                                               "request.object.spec.mode"};
  ASSIGN_OR_RETURN(auto texts, json::PickTexts(body, kPaths));
  if (texts["kind"] != kKind || texts["apiVersion"] != kApiVersion) {
    return Error{Code::kInvalid, kNoReview};
  }
  if (texts["request.uid"].empty() || texts["request.operation"].empty()) {
    return Error{Code::kInvalid, "request.uid and request.operation are required"};
  }
  Outline outline{{.uid = texts["request.uid"],
                   .operation = texts["request.operation"],
                   .kind = texts["request.kind.kind"],
                   .namespace_ = texts["request.namespace"],
                   .name = texts["request.name"],
                   .subresource = texts["request.subResource"]},
                  !texts["request.object.metadata.deletionTimestamp"].empty(),
                  !api::ModeOf(texts["request.object.spec.mode"]).evaluates};
  TRY(CheckNames(outline.subject));
  return outline;
}

std::string EncodeAnswer(const ReviewSubject& subject, const Verdict& verdict) {
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
        EncodeWarnings(out, verdict.warnings);
      }
    });
  });
  return out.Take();
}

}  // namespace ballast::webhooks
