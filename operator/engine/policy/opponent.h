// Another client that undoes again and again what an autoscaler does. A policy goes on all the
// same, and says so.
#pragma once

#include <string>

#include "api/decision/snapshot.h"

namespace ballast::engine {

// A sentence that names the client and the way out.
std::string Describe(const Opponent& opponent);

}  // namespace ballast::engine
