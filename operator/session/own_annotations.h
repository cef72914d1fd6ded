// The annotations by which users steer how Ballast serves an autoscaler: those with the prefix
// "ballast.dev/". An edit of them does not change the object's generation.
#pragma once

#include <map>
#include <string>

#include "api/kubernetes/meta.h"

namespace ballast::session {

bool SameOwnAnnotations(const api::ObjectMeta& a, const api::ObjectMeta& b);
std::map<std::string, std::string> OwnAnnotations(const api::ObjectMeta& metadata);

}  // namespace ballast::session
