#include "api/autoscaling/trust_annotation.h"

#include <string>

#include "api/autoscaling/annotation.h"

namespace ballast::api {

bool TrustsSources(const Autoscaler& autoscaler, Time now) {
  const std::string* text = FindAnnotation(autoscaler, kSourcesTrustedUntil);
  if (text == nullptr) {
    return false;
  }
  const auto until = ParseTime(*text);
  return until.ok() && now < *until;
}

FieldErrors CheckTrust(const Autoscaler& autoscaler) {
  FieldErrors errors;
  const std::string* text = FindAnnotation(autoscaler, kSourcesTrustedUntil);
  if (text != nullptr && !ParseTime(*text).ok()) {
    errors.Add("metadata.annotations[" + std::string(kSourcesTrustedUntil) + "]",
               "must be a time like 2026-11-23T06:00:00Z");
  }
  return errors;
}

}  // namespace ballast::api
