// The two answers: the defaulter completes, the validator refuses or warns.
//
// What is never refused: a deletion, a change of a subresource (status), a change that leaves the
// spec alone, an object that is being deleted, a policy that is switched off, and an error that the
// stored object has as well (then a warning). Nothing is written, so a dry run is like any other.
// Thread-safety: as the Lookup's.
#pragma once

#include "webhooks/lookup.h"
#include "webhooks/review.h"

namespace ballast::webhooks {

// Allows, with a patch that fills in defaults. What cannot be completed is the validator's
// business.
Verdict Default(const Review& review);

Verdict Validate(const Review& review, Lookup& lookup);

}  // namespace ballast::webhooks
