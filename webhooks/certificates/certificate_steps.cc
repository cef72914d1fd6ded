#include "webhooks/certificates/certificate_steps.h"

namespace ballast::webhooks {
namespace {

// A write that comes second reads what came first and goes on from there.
constexpr int kMaxWrites = 3;

CertificateStep End(Status status) { return {.end = std::move(status)}; }

}  // namespace

bool CertificateSteps::Awaits(AwaitedAnswer phase) {
  if (phase_ != phase) {
    return false;
  }
  phase_ = AwaitedAnswer::kIdle;
  return true;
}

CertificateStep CertificateSteps::Ask(AwaitedAnswer phase, CertificateRequest request) {
  phase_ = phase;
  return {.request = std::move(request)};
}

CertificateStep CertificateSteps::Begin() {
  writes_ = 0;
  return Ask(AwaitedAnswer::kRead, ReadCertificates{});
}

CertificateStep CertificateSteps::OnRead(Time now, bool leader,
                                         const Result<StoredCertificates>& answer) {
  if (!Awaits(AwaitedAnswer::kRead)) {
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
    return Ask(AwaitedAnswer::kWrite,
               WriteCertificates{std::move(step.next), answer->version, step.what});
  }
  if (!info) {
    return End(leader
                   ? Error{Code::kConflict, "the certificates are written by others all the time"}
                   : Error{Code::kUnavailable, "there is no certificate; the leader makes it"});
  }
  remembered_ = bundle;
  publishes_ = leader;
  return Ask(AwaitedAnswer::kUse, UseCertificate{bundle->certificate, bundle->key});
}

CertificateStep CertificateSteps::OnWritten(const Status& answer) {
  if (!Awaits(AwaitedAnswer::kWrite)) {
    return {};
  }
  if (!answer.ok() && answer.error().code != Code::kConflict) {
    return End(answer.error());
  }
  return Ask(AwaitedAnswer::kRead, ReadCertificates{});
}

CertificateStep CertificateSteps::OnUsed(const Status& answer) {
  if (!Awaits(AwaitedAnswer::kUse)) {
    return {};
  }
  if (!answer.ok() || !publishes_) {
    return End(answer);
  }
  return Ask(AwaitedAnswer::kPublish, PublishAuthorities{remembered_->authorities});
}

CertificateStep CertificateSteps::OnPublished(Time now, const Status& answer) {
  if (!Awaits(AwaitedAnswer::kPublish)) {
    return {};
  }
  if (answer.ok() && remembered_->authorities != published_) {
    published_ = remembered_->authorities;
    published_at_ = now;
  }
  return End(answer);
}

}  // namespace ballast::webhooks
