// Looks an annotation of an autoscaler up.
#pragma once

#include <string>

#include "api/autoscaling/types.h"

namespace ballast::api {

// Null if there is no such annotation. Most objects have none at all, and each evaluation asks for
// several.
inline const std::string* FindAnnotation(const Autoscaler& autoscaler, const char* name) {
  const auto& annotations = autoscaler.metadata.annotations;
  if (annotations.empty()) {
    return nullptr;  // without making a key of the name
  }
  const auto found = annotations.find(name);
  return found == annotations.end() ? nullptr : &found->second;
}

}  // namespace ballast::api
