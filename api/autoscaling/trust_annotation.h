// The annotation by which people tell a policy to believe its sources of metrics although they look
// broken:
//
//   ballast.dev/sources-trusted-until  until then no source is suspect: "2026-11-23T06:00:00Z"
//
// It ends the hold of a suspect source (policy/suspect_source.h) early, and prevents later ones. A
// value that is not a time is no trust; the webhook refuses to create such a policy (CheckTrust).
//
// Errors: none returned; what is wrong is in the FieldErrors.
#pragma once

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "api/kubernetes/field_error.h"

namespace ballast::api {

inline constexpr const char* kSourcesTrustedUntil = "ballast.dev/sources-trusted-until";

// Whether the sources are trusted at `now`.
bool TrustsSources(const Autoscaler& autoscaler, Time now);

FieldErrors CheckTrust(const Autoscaler& autoscaler);

}  // namespace ballast::api
