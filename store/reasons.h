// Reasons of records that code compares, other than those of conditions
// (api/autoscaling/condition_types.h).
#pragma once

namespace ballast::store {

// Of a Refused: the operator may not know the autoscaler as it is, nor its replicas.
inline constexpr const char* kOutOfDate = "OutOfDate";

}  // namespace ballast::store
