// The resource metrics of the pods of one namespace, or of some of them.
//
// Thread-safety: immutable once it is shared.
// Errors: none.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/kubernetes/label_selector.h"
#include "api/kubernetes/metrics_apis.h"

namespace ballast::sources {

class NamespaceMetrics {
 public:
  using Pointer = std::shared_ptr<const api::PodMetrics>;

  // Of two pods of one name the first counts.
  void Add(Pointer pod);

  const std::map<std::string, Pointer>& by_name() const { return by_name_; }
  // Whether any pod has labels: some metrics APIs leave them out.
  bool has_labels() const { return !by_label_.empty(); }
  // The pods whose labels match, by name.
  std::vector<Pointer> Select(const api::Selector& selector) const;

 private:
  std::map<std::string, Pointer> by_name_;
  std::unordered_map<std::string, std::vector<Pointer>> by_label_;  // "key=value"
};

}  // namespace ballast::sources
