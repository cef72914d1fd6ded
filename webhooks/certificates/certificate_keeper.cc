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
  CertificateStep step = steps_.Begin();
  while (step.request) {
    step = std::visit([this](const auto& request) { return Do(request); }, *step.request);
  }
  return *step.end;
}

CertificateStep CertificateKeeper::Do(const ReadCertificates&) {
  const Result<StoredCertificates> stored = store_.Read();
  return steps_.OnRead(options_.now(), options_.is_leader(), stored);
}

CertificateStep CertificateKeeper::Do(const WriteCertificates& request) {
  const Status written = store_.Write(request.bundle, request.version);
  if (written.ok()) {
    options_.on_step(request.what);
  }
  return steps_.OnWritten(written);
}

CertificateStep CertificateKeeper::Do(const UseCertificate& request) {
  return steps_.OnUsed(Use(request.certificate, request.key));
}

CertificateStep CertificateKeeper::Do(const PublishAuthorities& request) {
  const Status published = store_.Publish(request.authorities);
  return steps_.OnPublished(options_.now(), published);
}

Status CertificateFiles::Tick() {
  ASSIGN_OR_RETURN(const std::string certificate, os::ReadFile(folder_ + "/tls.crt"));
  ASSIGN_OR_RETURN(const std::string key, os::ReadFile(folder_ + "/tls.key"));
  const Status used = Use(certificate, key);
  return used.ok() ? used : Status(used.error().In(folder_));
}

}  // namespace ballast::webhooks
