// Writes that only happen if the object is still the one that was decided about.
//
// Thread-safety: plain values.
#pragma once

#include <cstdint>
#include <string>

namespace ballast::kube {

// A change of replicas, from those that the decision saw.
struct ScaleChange {
  std::string uid;
  std::int32_t from = 0;
  std::int32_t to = 0;
};

// A state of an object.
struct ObjectVersion {
  std::string uid;
  std::string resource_version;
};

}  // namespace ballast::kube
