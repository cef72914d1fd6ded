// The two answers: the defaulter completes, the validator refuses or warns.
//
// What is never refused: a deletion, a change of a subresource (status), a change that leaves the
// spec alone, an object that is being deleted, a policy that is switched off, and an error that the
// stored object has as well (then a warning). Nothing is written, so a dry run is like any other.
// HorizontalPodAutoscalers are Kubernetes' own: an installation says whether any is refused, and
// then only for what is wrong in every version of Kubernetes, and for a rival. Thread-safety: as
// the Lookup's.
#pragma once

#include <chrono>
#include <string>

#include "webhooks/lookup.h"
#include "webhooks/review.h"

namespace ballast::webhooks {

enum class Hpas {
  kOff,     // not looked at
  kWarn,    // whatever is found is a warning
  kRefuse,  // what is wrong refuses them too
};

// How reviews are judged.
struct Manner {
  Lookup& lookup;
  Hpas hpas = Hpas::kWarn;
  std::chrono::milliseconds patience = kPatience;  // of the look-up
};

// Allows, with a patch that fills in a policy's defaults. What cannot be completed is the
// validator's business.
Verdict Default(const Review& review);

Verdict Validate(const Review& review, const Manner& manner);
// Of a review that is too large to be taken apart, `why`: no real object is. An HPA is let through
// all the same, and so is a policy that is switched off.
Verdict ValidateUnread(const Outline& outline, const std::string& why);

}  // namespace ballast::webhooks
