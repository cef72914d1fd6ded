// What Ballast writes into the status of a HorizontalPodAutoscaler in mode manage beside what any
// controller writes: a claim, and a condition that says why the HPA is not managed.
//
// The claim is status.observedGeneration. Kubernetes' own controller drops it up to 1.36 whenever
// it writes the status, and since 1.37 sets it to the HPA's generation. So kClaimMark shows that
// nobody else has written the status since Ballast did.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/autoscaling/types.h"
#include "api/base/time.h"

namespace ballast::hpa {

// status.observedGeneration while Ballast finds out whether another controller is at work.
inline constexpr std::int64_t kClaimMark = -1;
// The same while Ballast manages the HPA: its generation, 0 where the server counts none (up to
// 1.36).
std::int64_t HeldMark(const api::Autoscaler& hpa);

// Who wrote the status last; absent: Ballast, or it is not known.
std::optional<api::FieldManager> OtherWriter(const api::Autoscaler& hpa);

// Whether somebody other than Ballast was the last to write the status, or the claim is gone.
bool OthersWrite(const api::Autoscaler& hpa);

// Whether Ballast was the last one to write the status, and managed the HPA then.
bool IsHeld(const api::Autoscaler& hpa);

// Whether there is a mark that Ballast made.
bool IsMarked(const api::Autoscaler& hpa);

// Why an HPA is not managed, as the condition api::kManaged says.
struct ManageBlocker {
  std::string reason;  // CamelCase
  std::string message;
  bool in_status = true;  // else only an event says it: the status may not be written there

  friend bool operator==(const ManageBlocker&, const ManageBlocker&) = default;
};

struct StatusMarks {
  std::optional<std::int64_t> claim;     // absent: none
  std::optional<ManageBlocker> blocker;  // absent: no condition
};

// What the condition says with that blocker: "HasOwner: it belongs to ...". Empty: there is none.
std::string Print(const std::optional<ManageBlocker>& blocker);
// What it says in the status.
std::string PrintManaged(const api::AutoscalerStatus& status);

// The merge patch of the status that makes these its marks; nullopt: they are. A claim that is not
// Ballast's is left as it is, unless there is to be one.
std::optional<std::string> PatchMarks(const api::Autoscaler& hpa, const StatusMarks& marks,
                                      Time now);

}  // namespace ballast::hpa
