// Label selectors by name, found by the labels of the objects that they may select.
//
// A selector's requirements name label pairs ("app=web"). It is filed under the pairs of one
// requirement only: the one whose pairs the fewest other selectors require. So where all selectors
// of a namespace share one label (app: platform), a search visits the few that share another one.
//
// Thread-safety: any thread.
// Errors: none; see Put() for invalid selectors.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "api/kubernetes/meta.h"

namespace ballast::cluster {

class SelectorIndex {
 public:
  // `selector`: its text. One that is empty or invalid selects nothing.
  void Put(const api::ObjectKey& key, const std::string& selector);
  void Remove(const api::ObjectKey& key);

  // The names of the namespace's selectors that may match an object with these labels, sorted: each
  // of their requirements that names values finds one of them in `pairs`. Requirements such as
  // NotIn or Exists are not checked.
  std::set<std::string> Find(const std::string& namespace_,
                             const std::set<std::string>& pairs) const;

 private:
  using Pairs = std::set<std::string>;
  struct Filed {
    std::vector<Pairs> asked;  // one pair of each is required; it is filed under the first
  };
  struct Pair {
    std::size_t askers = 0;       // selectors that require this pair
    std::set<std::string> filed;  // names of those filed under it
  };
  struct NamespaceSelectors {
    std::map<std::string, Filed> selectors;  // by name
    std::map<std::string, Pair> pairs;
    std::set<std::string> any_labels;  // names of those that require no pair
  };

  static void RemoveFrom(NamespaceSelectors& in, const std::string& name);

  mutable std::mutex mutex_;  // guards: the rest
  std::map<std::string, NamespaceSelectors> namespaces_;
};

}  // namespace ballast::cluster
