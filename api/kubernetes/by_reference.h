// Containers by what identifies an object. Without order: an evaluation looks into several that
// have thousands of entries, and in ordered ones comparing names took a tenth of its time.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "api/kubernetes/meta.h"

namespace ballast::api {

struct HashReference {
  std::size_t operator()(const ObjectReference& of) const {
    const std::hash<std::string> hash;
    return (hash(of.name) * 31 + hash(of.namespace_)) * 31 + hash(of.kind);
  }
};

template <typename T>
using ByReference = std::unordered_map<ObjectReference, T, HashReference>;
using References = std::unordered_set<ObjectReference, HashReference>;

}  // namespace ballast::api
