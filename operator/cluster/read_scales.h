// The scales of a kind that cannot be watched, as they were last read one by one.
//
// Thread-safety: one thread at a time may change it.
// Errors: none; an answer that says nothing of the scale changes nothing.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/kubernetes/meta.h"
#include "api/kubernetes/workload.h"
#include "operator/cluster/selector_index.h"
#include "operator/process/clock.h"

namespace ballast::cluster {

class ReadScales {
 public:
  // For how long what was read counts as known.
  static constexpr std::chrono::minutes kKept{10};

  // The API server's answer to a read. kNotFound: there is no such target.
  void Remember(const api::ObjectKey& key, const Result<api::Scale>& answer,
                process::SteadyTime now);
  // Whether it is known of late what the target selects, or that it does not exist.
  bool Knows(const api::ObjectKey& key, process::SteadyTime now) const;
  // As ScaleTargets::MaySelect.
  std::vector<std::shared_ptr<const api::Scale>> MaySelect(
      const std::string& namespace_, const std::set<std::string>& pairs) const;

 private:
  struct KeptScale {
    std::shared_ptr<const api::Scale> scale;  // null: there is none
    process::SteadyTime at;
  };

  void Sweep(process::SteadyTime now);

  std::map<api::ObjectKey, KeptScale> entries_;
  SelectorIndex selectors_;
  process::SteadyTime swept_;
};

}  // namespace ballast::cluster
