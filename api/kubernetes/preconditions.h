// Preconditions of writes: the object must still be the one that the decision was about.
#pragma once

#include <cstdint>
#include <string>

namespace ballast::api {

// A change of replicas from the count that the decision saw.
struct ScaleChange {
  std::string uid;
  std::int32_t from = 0;
  std::int32_t to = 0;
};

// One version of one object.
struct ObjectVersion {
  std::string uid;
  std::string resource_version;
};

}  // namespace ballast::api
