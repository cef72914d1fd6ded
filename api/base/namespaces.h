// A list of namespaces, as a flag gives it; "*" in it means all.
#pragma once

#include <set>
#include <string>

namespace ballast {

struct Namespaces {
  std::set<std::string> names;

  bool Contain(const std::string& namespace_) const {
    return names.contains("*") || names.contains(namespace_);
  }
};

}  // namespace ballast
