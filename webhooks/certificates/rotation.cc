#include "webhooks/certificates/rotation.h"

#include <algorithm>
#include <utility>

namespace ballast::webhooks {
namespace {

using MaybeStep = Result<std::optional<RotationStep>>;

MaybeStep Step(Result<CertificateBundle> next, const char* what) {
  if (!next.ok()) {
    return next.error();
  }
  return std::optional(RotationStep{std::move(next).value(), what});
}

bool Ages(Time made, Time ends, Time now) {
  return (now - made).nanoseconds > (ends - made).nanoseconds / 3 * 2;
}

bool Lasts(const std::optional<BundleInfo>& info, Time now) {
  return info && info->authority_ends > now && info->ends > now;
}

MaybeStep StartOver(const RotationState& state, Time now, const RotationTimes& times) {
  if (Lasts(Inspect(state.remembered), now)) {
    return Step(AddAuthority(*state.remembered, now, times.authority_life),
                "the stored certificates were lost; a new authority joins the one in use");
  }
  ASSIGN_OR_RETURN(const CertificateBundle authority, AddAuthority({}, now, times.authority_life));
  return Step(Issue(authority, state.names, now, times.certificate_life),
              "made an authority and a certificate");
}

}  // namespace

MaybeStep NextStep(const RotationState& state, Time now, const RotationTimes& times) {
  const std::optional<BundleInfo>& info = state.info;
  if (!info || info->authority_ends <= now) {
    return StartOver(state, now, times);
  }
  const auto issue = [&](const char* what) {
    return Step(Issue(*state.stored, state.names, now, times.certificate_life), what);
  };
  const bool fits = std::is_permutation(info->names.begin(), info->names.end(), state.names.begin(),
                                        state.names.end());
  if (!fits || info->ends <= now) {
    return issue("made a certificate: the former had ended, or was for other names");
  }
  if (Ages(info->authority_made, info->authority_ends, now)) {
    return Step(AddAuthority(*state.stored, now, times.authority_life),
                "a new authority joins the one that ages");
  }
  const bool settled = state.trusted_since && now - *state.trusted_since >= times.settle;
  if (!info->signed_by_newest && settled) {
    return issue("made a certificate of the new authority");
  }
  if (info->signed_by_newest && Ages(info->made, info->ends, now)) {
    return issue("renewed the certificate");
  }
  const bool retires = now - info->made >= times.retire;
  if (info->signed_by_newest && info->authorities > 1 && retires) {
    return Step(KeepNewestAuthority(*state.stored), "forgot the former authority");
  }
  return std::optional<RotationStep>();
}

}  // namespace ballast::webhooks
