// Why a HorizontalPodAutoscaler in mode manage must not be managed, apart from another controller
// at work (claim.h): Ballast manages only what it understands whole, what belongs to nobody else,
// and only where the installation allows it.
#pragma once

#include <optional>

#include "api/autoscaling/types.h"
#include "api/base/namespaces.h"
#include "operator/hpa/status_marks.h"

namespace ballast::hpa {

std::optional<ManageBlocker> ManageBlockerOf(const api::Autoscaler& hpa,
                                             const Namespaces& take_over_in);

}  // namespace ballast::hpa
