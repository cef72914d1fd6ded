// The host's name, which in a pod is the pod's.
//
// Thread-safety: pure.
#pragma once

#include <string>

namespace ballast::os {

std::string HostName();

}  // namespace ballast::os
