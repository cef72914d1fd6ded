#include "webhooks/certificates/upkeep.h"

namespace ballast::webhooks {
namespace {

// A write that comes second reads what came first and goes on from there.
constexpr int kMaxWrites = 3;

UpkeepStep End(Status status) { return {.end = std::move(status)}; }

}  // namespace

bool CertificateUpkeep::Awaits(Phase phase) {
  if (phase_ != phase) {
    return false;
  }
  phase_ = Phase::kIdle;
  return true;
}

UpkeepStep CertificateUpkeep::Ask(Phase phase, CertificateRequest request) {
  phase_ = phase;
  return {.request = std::move(request)};
}

UpkeepStep CertificateUpkeep::Begin() {
  writes_ = 0;
  return Ask(Phase::kRead, ReadCertificates{});
}

UpkeepStep CertificateUpkeep::OnRead(Time now, bool leader,
                                     const Result<StoredCertificates>& answer) {
  if (!Awaits(Phase::kRead)) {
    return {};
  }
  if (!answer.ok()) {
    return End(answer.error());
  }
  const std::optional<CertificateBundle>& bundle = answer->bundle;
  const std::optional<BundleInfo> info = Inspect(bundle);
  const bool trusted = info && bundle->authorities == published_;
  auto rotation = NextStep({.stored = bundle,
                            .info = info,
                            .remembered = remembered_,
                            .names = names_,
                            .trusted_since = trusted ? published_at_ : std::nullopt},
                           now, times_);
  if (!rotation.ok()) {
    return End(rotation.error());
  }
  if (*rotation && writes_ < kMaxWrites && leader) {
    ++writes_;
    RotationStep& step = **rotation;
    return Ask(Phase::kWrite, WriteCertificates{std::move(step.next), answer->version, step.what});
  }
  if (!info) {
    return End(leader
                   ? Error{Code::kConflict, "the certificates are written by others all the time"}
                   : Error{Code::kUnavailable, "there is no certificate; the leader makes it"});
  }
  remembered_ = bundle;
  publishes_ = leader;
  return Ask(Phase::kUse, UseCertificate{bundle->certificate, bundle->key});
}

UpkeepStep CertificateUpkeep::OnWritten(const Status& answer) {
  if (!Awaits(Phase::kWrite)) {
    return {};
  }
  if (!answer.ok() && answer.error().code != Code::kConflict) {
    return End(answer.error());
  }
  return Ask(Phase::kRead, ReadCertificates{});
}

UpkeepStep CertificateUpkeep::OnUsed(const Status& answer) {
  if (!Awaits(Phase::kUse)) {
    return {};
  }
  if (!answer.ok() || !publishes_) {
    return End(answer);
  }
  return Ask(Phase::kPublish, PublishAuthorities{remembered_->authorities});
}

UpkeepStep CertificateUpkeep::OnPublished(Time now, const Status& answer) {
  if (!Awaits(Phase::kPublish)) {
    return {};
  }
  if (answer.ok() && remembered_->authorities != published_) {
    published_ = remembered_->authorities;
    published_at_ = now;
  }
  return End(answer);
}

}  // namespace ballast::webhooks
