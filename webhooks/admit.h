// The two admission decisions: Default() fills in defaults, Validate() allows, warns or denies.
// Those about overrides are in admit_override.h.
//
// Never denied: a deletion, a change of a subresource (status), an update that leaves the spec
// alone, an object that is being deleted, an update that leaves a policy switched off (mode
// Disabled), and an error that the stored object already has (a warning instead). Reviews have no
// side effects, so a dry run needs no special case. HorizontalPodAutoscalers are Kubernetes' own:
// the installation configures whether they can be denied at all, and then only for a rival or for
// what is wrong in every version of Kubernetes. The installation's rules are for policies alone.
//
// Thread-safety: any thread, if Lookup is thread-safe.
// Errors: none returned; a Verdict holds what is wrong.
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "api/autoscaling/override.h"
#include "api/autoscaling/policy_rules.h"
#include "api/autoscaling/recurrence.h"
#include "api/base/time.h"
#include "webhooks/lookup.h"
#include "webhooks/review.h"

namespace ballast::webhooks {

enum class Hpas {
  kOff,     // not checked
  kWarn,    // every problem is a warning
  kRefuse,  // problems deny them too
};

// Options of the installation. The Lookup and the rules must outlive them.
struct ReviewOptions {
  Lookup& lookup;
  Hpas hpas = Hpas::kWarn;
  std::span<const api::PolicyRule> rules = {};         // of the installation
  std::chrono::milliseconds timeout = kLookupTimeout;  // of the Lookup
  api::ZoneCheck zones = {};                           // of schedules
  Duration longest_override = api::kUsualLongestOverride;
};

// Always allows, with a patch that fills in a policy's defaults or an override's owner. Leaves an
// object that cannot be completed to Validate().
Verdict Default(const Review& review, const ReviewOptions& options);

Verdict Validate(const Review& review, const ReviewOptions& options);
// For a review that is too large to be decoded, as `why` says; no real object is. Denies it, except
// for a HorizontalPodAutoscaler and for an update that leaves a policy switched off: these are
// allowed with a warning.
Verdict ValidateUnread(const Outline& outline, const std::string& why);

}  // namespace ballast::webhooks
