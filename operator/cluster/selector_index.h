// Label selectors by name, found by the labels of what they may select.
//
// A selector asks for some pairs of label and value; it is filed under one of them, of which the
// fewest others ask for too. So where all of a namespace share one label (app: platform) a search
// looks at the few that share the other one. Thread-safety: any thread.
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
  // `selector` as text. One that is empty or cannot be read selects nothing.
  void Put(const api::ObjectKey& key, const std::string& selector);
  void Remove(const api::ObjectKey& key);

  // The names of those in the namespace that may match something that has these labels: of each of
  // their requirements that names values one is there. By name.
  std::set<std::string> Find(const std::string& namespace_,
                             const std::set<std::string>& pairs) const;

 private:
  using Pairs = std::set<std::string>;
  struct Filed {
    std::vector<Pairs> asked;  // of each it needs one; the first is what it is filed under
  };
  struct Pair {
    std::size_t askers = 0;
    std::set<std::string> filed;  // names
  };
  struct Namespace {
    std::map<std::string, Filed> selectors;  // by name
    std::map<std::string, Pair> pairs;
    std::set<std::string> any_labels;  // names of those that ask for no pair
  };

  static void RemoveFrom(Namespace& in, const std::string& name);

  mutable std::mutex mutex_;  // guards: the rest
  std::map<std::string, Namespace> namespaces_;
};

}  // namespace ballast::cluster
