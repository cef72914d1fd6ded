// Whether the server lacks a kind. Its refusals do not tell: it asks for the rights first, so
// whoever lacks them is told kForbidden whether or not there is such a kind.
//
// Thread-safety: thread-safe if the Transport is.
#pragma once

#include "operator/kube/resource.h"
#include "operator/kube/transport.h"

namespace ballast::kube {

// Whether discovery says that the server does not serve the resource; false if in doubt.
bool IsUnserved(Transport& transport, const Resource& resource);

}  // namespace ballast::kube
