#include "webhooks/certificates/certificate_keeper.h"

#include <utility>

#include "operator/os/file.h"

namespace ballast::webhooks {
Status Certificates::Use(const std::string& certificate, const std::string& key) {
  if (certificate + key == in_use_) {
    return Done{};
  }
  ASSIGN_OR_RETURN(const Time ends, EndOf(certificate));
  TRY(identity_->Set(certificate, key));
  in_use_ = certificate + key;
  ends_ = ends.unix_seconds();
  return Done{};
}

Status CertificateKeeper::Tick() {
  UpkeepStep step = upkeep_.Begin();
  while (step.request) {
    step = std::visit([this](const auto& request) { return Do(request); }, *step.request);
  }
  return *step.end;
}

UpkeepStep CertificateKeeper::Do(const ReadCertificates&) {
  const Result<StoredCertificates> stored = store_.Read();
  return upkeep_.OnRead(options_.now(), options_.is_leader(), stored);
}

UpkeepStep CertificateKeeper::Do(const WriteCertificates& request) {
  const Status written = store_.Write(request.bundle, request.version);
  if (written.ok()) {
    options_.on_step(request.what);
  }
  return upkeep_.OnWritten(written);
}

UpkeepStep CertificateKeeper::Do(const UseCertificate& request) {
  return upkeep_.OnUsed(Use(request.certificate, request.key));
}

UpkeepStep CertificateKeeper::Do(const PublishAuthorities& request) {
  const Status published = store_.Publish(request.authorities);
  return upkeep_.OnPublished(options_.now(), published);
}

Status CertificateFiles::Tick() {
  ASSIGN_OR_RETURN(const std::string certificate, os::ReadFile(folder_ + "/tls.crt"));
  ASSIGN_OR_RETURN(const std::string key, os::ReadFile(folder_ + "/tls.key"));
  const Status used = Use(certificate, key);
  return used.ok() ? used : Status(used.error().In(folder_));
}

}  // namespace ballast::webhooks
