// The two admission decisions about an AutoScaleOverride.
//
// Its owner is whoever the API server says has sent it, whatever the object says: nobody makes an
// override in another's name. Its spec never changes.
#pragma once

#include "api/base/time.h"
#include "webhooks/lookup.h"
#include "webhooks/review.h"

namespace ballast::webhooks {

bool IsOverride(const Review& review);

// Sets spec.owner: of a new one to the user's name, of another to what it was.
Verdict StampOwner(const Review& review);
// `longest`: how long one may last.
Verdict ValidateOverride(const Review& review, Duration longest, Lookup& lookup);

}  // namespace ballast::webhooks
