#include "operator/controllers/hpa/agreement.h"

#include <algorithm>

namespace ballast::controllers {

Agreement::Verdict Agreement::Judge(Time now, std::int32_t ours, std::int32_t theirs,
                                    Duration period, Duration window) {
  began_ = std::min(began_.value_or(now), now);  // the clock may have been set back
  if (ours == theirs) {
    differs_.reset();
  } else {
    differs_ = std::min(differs_.value_or(now), now);
  }
  if (now - *began_ < window) {
    return Verdict::kTooEarly;
  }
  const Duration patience{2 * period.nanoseconds};
  return differs_ && now - *differs_ > patience ? Verdict::kDiffers : Verdict::kAgrees;
}

void Agreement::StartAnew() {
  began_.reset();
  differs_.reset();
}

const char* Name(Agreement::Verdict verdict) {
  switch (verdict) {
    case Agreement::Verdict::kTooEarly:
      return "too_early";
    case Agreement::Verdict::kAgrees:
      return "agrees";
    case Agreement::Verdict::kDiffers:
      return "differs";
    case Agreement::Verdict::kCannotTell:
      return "cannot_tell";
  }
  return "too_early";
}

}  // namespace ballast::controllers
