// Finds out what was edited on an autoscaler: field by field in its spec, and in the annotations by
// which users steer Ballast (own_annotations.h).
//
// Thread-safety: belongs to one autoscaler; one thread at a time.
// Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "store/records.h"

namespace ballast::controllers {

class EditObserver {
 public:
  // Of more fields only the number is told: an edit of many replaces most of the spec.
  static constexpr std::size_t kMostFields = 20;

  EditObserver() = default;
  // Continues from what the ledger has of an earlier run.
  explicit EditObserver(const store::RecalledState& known) : generation_(known.generation) {}

  // The edits since the last look, in the order of the fields. At the first look there is nothing
  // to compare with: then only whether a policy's generation is another one than the ledger's (of
  // an HPA that has a hash, which changes with the program).
  std::vector<store::Edit> See(const api::Autoscaler& autoscaler, Time now);

 private:
  std::optional<std::int64_t> generation_;  // at the last decision of an earlier run
  std::string version_;                     // of the object, at the last look
  std::string seen_;                        // then, as JSON; empty: there was no look yet
};

}  // namespace ballast::controllers
