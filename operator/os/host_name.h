// The host's name, which in a pod is the pod's name.
//
// Thread-safety: any thread.
// Errors: none; "ballast" if the system does not know it.
#pragma once

#include <string>

namespace ballast::os {

std::string HostName();

}  // namespace ballast::os
