// Finds out what was edited on an autoscaler: field by field in its spec, and in the annotations by
// which users steer Ballast (own_annotations.h).
//
// Thread-safety: belongs to one autoscaler; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/autoscaling/types.h"
#include "api/base/time.h"
#include "store/records.h"

namespace ballast::session {

class EditObserver {
 public:
  // Of more fields only the number is told: an edit of many replaces most of the spec.
  static constexpr std::size_t kMostFields = 20;

  // What is new since the last look.
  struct News {
    std::vector<store::Edit> edits;   // in the order of the fields
    std::optional<std::string> spec;  // to be recorded as store::SpecSeen
  };
  // `recall`: returns the SpecSeen that was recorded last, by whatever run; empty: none is known.
  // Then there is nothing to compare with, and of a policy only `generation`, that of the last
  // decision, tells of an edit.
  News See(const api::Autoscaler& autoscaler, std::optional<std::int64_t> generation, Time now,
           const std::function<std::string()>& recall);

 private:
  std::string version_;              // of the object, at the last look
  std::optional<std::size_t> seen_;  // a hash of what it had then, because there are thousands
};

}  // namespace ballast::session
