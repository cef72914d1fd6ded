// The resource metrics of the pods of one namespace, or of some of them.
//
// Labels are kept once for all pods that have the same, which those of one template do; the pods
// themselves have none here.
//
// Thread-safety: immutable once it is shared.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/kubernetes/label_selector.h"
#include "api/kubernetes/metrics_apis.h"

namespace ballast::sources {

class NamespaceMetrics {
 public:
  using Pointer = std::shared_ptr<const api::PodMetrics>;

  NamespaceMetrics() = default;
  NamespaceMetrics(const NamespaceMetrics&) = delete;
  NamespaceMetrics& operator=(const NamespaceMetrics&) = delete;

  // Of two pods of one name the first counts.
  void Add(api::PodMetrics pod);

  const std::map<std::string_view, Pointer>& by_name() const { return by_name_; }
  // Whether any pod has labels: some metrics APIs leave them out.
  bool has_labels() const { return !by_label_.empty(); }
  // The pods whose labels match, by name.
  std::vector<Pointer> Select(const api::Selector& selector) const;

 private:
  using Groups = std::map<api::Labels, std::vector<Pointer>>;

  std::map<std::string_view, Pointer> by_name_;
  Groups groups_;
  Groups::value_type* last_ = nullptr;  // where the last pod is; the next one often has its labels
  std::unordered_map<std::string, std::vector<const Groups::value_type*>> by_label_;  // "key=value"
};

}  // namespace ballast::sources
