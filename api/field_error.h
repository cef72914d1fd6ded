// What is wrong with one field of an object.
#pragma once

#include <string>

namespace ballast::api {

struct FieldError {
  std::string field;    // "spec.metrics[0].type"; empty: the object as a whole
  std::string message;  // what is wrong, and the way out
};

// "spec.maxReplicas: must be greater than 0"
inline std::string Print(const FieldError& error) {
  return error.field.empty() ? error.message : error.field + ": " + error.message;
}

}  // namespace ballast::api
