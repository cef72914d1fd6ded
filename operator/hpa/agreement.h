// Whether the decisions of a shadow agree with those of the controller that scales the HPA.
//
// The two evaluate at different moments and from different samples, so one of them may be ahead:
// they differ only once they have asked for different counts for longer than two periods. The
// shadow is not judged before it has decided for a whole stabilization window, because until then
// it does not know what the other one remembers.
//
// Thread-safety: belongs to one HPA; one thread at a time.
#pragma once

#include <cstdint>
#include <optional>

#include "api/base/time.h"

namespace ballast::hpa {

class Agreement {
 public:
  enum class Judgement {
    kTooEarly,
    kAgrees,
    kDiffers,
    kCannotTell,  // not by Judge(): the shadow could compute nothing
  };

  // The shadow asks for `ours` at `now`, when the HPA's status says `theirs`. `window`: the longest
  // stabilization window.
  Judgement Judge(Time now, std::int32_t ours, std::int32_t theirs, Duration period,
                  Duration window);

  // What happened since the last decision is not known: it is too early again.
  void StartAnew();

 private:
  std::optional<Time> began_;
  std::optional<Time> differs_;  // since then
};

// The word for it, in metrics.
const char* Name(Agreement::Judgement verdict);

}  // namespace ballast::hpa
