#include "operator/hpa/agreement.h"

#include <algorithm>

namespace ballast::hpa {

Agreement::Judgement Agreement::Judge(Time now, std::int32_t ours, std::int32_t theirs,
                                      Duration period, Duration window) {
  began_ = std::min(began_.value_or(now), now);  // the clock may have been set back
  if (ours == theirs) {
    differs_.reset();
  } else {
    differs_ = std::min(differs_.value_or(now), now);
  }
  if (now - *began_ < window) {
    return Judgement::kTooEarly;
  }
  const Duration delay{2 * period.nanoseconds};
  return differs_ && now - *differs_ > delay ? Judgement::kDiffers : Judgement::kAgrees;
}

void Agreement::StartAnew() {
  began_.reset();
  differs_.reset();
}

const char* Name(Agreement::Judgement verdict) {
  switch (verdict) {
    case Agreement::Judgement::kTooEarly:
      return "too_early";
    case Agreement::Judgement::kAgrees:
      return "agrees";
    case Agreement::Judgement::kDiffers:
      return "differs";
    case Agreement::Judgement::kCannotTell:
      return "cannot_tell";
  }
  return "too_early";
}

}  // namespace ballast::hpa
