#include "operator/admission/certificate_care.h"

#include "operator/process/log.h"

namespace ballast::admission {
namespace {

constexpr std::chrono::seconds kLook{10};
constexpr std::chrono::seconds kFirstLook{1};           // while there is no certificate
constexpr std::chrono::seconds kCertificateTimeout{5};  // for requests

}  // namespace

CertificateCare::CertificateCare(const CertificateOptions& options, kube::Transport& transport,
                                 process::Clock& clock)
    : clock_(clock),
      metrics_(options.metrics),
      client_(transport, kCertificateTimeout),
      secret_(client_, options.secret, options.configuration),
      looking_after_("certificates", clock, [this](const std::stop_token&) { return Look(); }) {
  if (!options.certificate_dir.empty()) {
    certificates_ =
        std::make_unique<webhooks::CertificateFiles>(options.certificate_dir, identity_);
    return;
  }
  certificates_ = std::make_unique<webhooks::CertificateKeeper>(
      secret_, identity_,
      webhooks::CertificateKeeper::Options{
          .names = options.hosts,
          .now = [&clock] { return clock.Now(); },
          .is_leader = options.is_leader,
          .on_step =
              [](const char* what) {
                log::Info("the webhook's certificates changed", {{"step", what}});
              }});
}

process::SteadyTime CertificateCare::Look() {
  const Status status = certificates_->Tick();
  metrics_.reads.Add();
  metrics_.errors.Add(status.ok() ? 0 : 1);
  metrics_.end.Set(static_cast<double>(certificates_->ends()));
  const std::string found = status.ok() ? "" : status.error().message;
  constexpr log::About kCertificates{"certificates"};
  if (found != problem_ &&
      (found.empty() ? log::Info(kCertificates, "the webhook's certificates are well again", {})
                     : log::Error(kCertificates, "the webhook's certificates have a problem",
                                  {{"error", found}}))) {
    problem_ = found;
  }
  return clock_.Steady() + (Ready() ? kLook : kFirstLook);
}

}  // namespace ballast::admission
