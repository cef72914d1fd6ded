// Keeps a TlsIdentity in good certificates: from a Secret that all replicas share, or from files
// that somebody else renews.
//
// Each Tick() is one look; the caller repeats it every ten seconds. Only the leader writes: it
// makes what is missing, rotates, and tells the API servers whom to trust (certificate_steps.h has
// the rules).
//
// Thread-safety: Tick(): one thread; ends() and Ready(): any.
// Errors: Tick() returns those of the store and of OpenSSL; what is in use stays in use.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "operator/net/tls_identity.h"
#include "webhooks/certificates/bundle.h"
#include "webhooks/certificates/certificate_steps.h"
#include "webhooks/certificates/rotation.h"

namespace ballast::webhooks {

// Where certificates are kept and who is told of them. The seam to the cluster.
class CertificateStore {
 public:
  using Stored = StoredCertificates;
  virtual ~CertificateStore() = default;
  virtual Result<Stored> Read() = 0;
  // kConflict: somebody wrote since `version`; read again.
  virtual Status Write(const CertificateBundle& bundle, const std::string& version) = 0;
  // Makes the API servers trust these authorities (PEM) and no others, where they do not yet.
  virtual Status Publish(const std::string& authorities) = 0;
};

class Certificates {
 public:
  virtual ~Certificates() = default;
  virtual Status Tick() = 0;

  // When the certificate in use ends, in seconds since 1970; 0: there is none.
  std::int64_t ends() const { return ends_; }
  // Whether handshakes succeed: there is a certificate, and it has not ended.
  bool Ready(Time now) const { return now.unix_seconds() < ends_; }

 protected:
  explicit Certificates(std::shared_ptr<net::TlsIdentity> identity)
      : identity_(std::move(identity)) {}
  // Presents itself so from now on, unless it does already.
  Status Use(const std::string& certificate, const std::string& key);

 private:
  const std::shared_ptr<net::TlsIdentity> identity_;
  std::string in_use_;
  std::atomic<std::int64_t> ends_{0};
};

class CertificateKeeper final : public Certificates {
 public:
  struct Options {
    std::vector<std::string> names;  // DNS names and IP addresses that the server is called by
    std::function<Time()> now;
    std::function<bool()> is_leader = [] { return true; };
    std::function<void(const char* what)> on_step = [](const char*) {};
    RotationTimes times;
  };

  // `store` must outlive this.
  CertificateKeeper(CertificateStore& store, std::shared_ptr<net::TlsIdentity> identity,
                    Options options)
      : Certificates(std::move(identity)),
        store_(store),
        options_(std::move(options)),
        steps_(options_.names, options_.times) {}

  // An error of the store, or OpenSSL's.
  Status Tick() override;

 private:
  CertificateStep Do(const ReadCertificates& request);
  CertificateStep Do(const WriteCertificates& request);
  CertificateStep Do(const UseCertificate& request);
  CertificateStep Do(const PublishAuthorities& request);

  CertificateStore& store_;
  const Options options_;
  CertificateSteps steps_;
};

// tls.crt and tls.key of a folder, read by content.
class CertificateFiles final : public Certificates {
 public:
  CertificateFiles(std::string folder, std::shared_ptr<net::TlsIdentity> identity)
      : Certificates(std::move(identity)), folder_(std::move(folder)) {}

  // As net::ReadFile, or kInvalid; names the file.
  Status Tick() override;

 private:
  const std::string folder_;
};

}  // namespace ballast::webhooks
