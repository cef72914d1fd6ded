// What has to be done about the certificates that all replicas share, as a step without clock or
// I/O. The CertificateKeeper carries it out.
//
//   CertificateStep step = steps.Begin();
//   while (step.request) {
//     step = ... carry it out; OnRead(), OnWritten(), OnUsed() or OnPublished() with the answer ...
//   }
//
//   read ──rotation takes a step──▶ write ──▶ read again
//     └──else──▶ use ──leader──▶ publish
//
// Only the leader writes and publishes. An answer counts for nothing unless it is the one that is
// awaited.
//
// Thread-safety: none; one thread.
// Errors: those of the answers; after one the step ends, and the next Begin() starts anew.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "webhooks/certificates/bundle.h"
#include "webhooks/certificates/rotation.h"

namespace ballast::webhooks {

struct StoredCertificates {
  std::optional<CertificateBundle> bundle;  // none: nothing in it yet
  std::string version;                      // empty: there is no Secret
};

struct ReadCertificates {};

struct WriteCertificates {
  CertificateBundle bundle;
  std::string version;  // which it replaces
  const char* what;     // for the log
};

struct UseCertificate {
  std::string certificate;
  std::string key;
};

struct PublishAuthorities {
  std::string authorities;
};

using CertificateRequest =
    std::variant<ReadCertificates, WriteCertificates, UseCertificate, PublishAuthorities>;

// Without either the answer to an earlier request is still awaited.
struct CertificateStep {
  std::optional<CertificateRequest> request = std::nullopt;
  std::optional<Status> end = std::nullopt;  // there is no more to be done this time
};

class CertificateSteps {
 public:
  // `names`: DNS names and IP addresses that the certificate must have.
  CertificateSteps(std::vector<std::string> names, RotationTimes times)
      : names_(std::move(names)), times_(times) {}

  CertificateStep Begin();
  // `now` is read after the answer came.
  CertificateStep OnRead(Time now, bool leader, const Result<StoredCertificates>& answer);
  CertificateStep OnWritten(const Status& answer);
  CertificateStep OnUsed(const Status& answer);
  CertificateStep OnPublished(Time now, const Status& answer);

 private:
  // What the awaited answer is to.
  enum class AwaitedAnswer { kIdle, kRead, kWrite, kUse, kPublish };

  bool Awaits(AwaitedAnswer phase);
  CertificateStep Ask(AwaitedAnswer phase, CertificateRequest request);

  const std::vector<std::string> names_;
  const RotationTimes times_;

  AwaitedAnswer phase_ = AwaitedAnswer::kIdle;
  int writes_ = 0;          // this time
  bool publishes_ = false;  // the leader, when it read
  // The last that was of use, in case that what is stored is gone or spoilt.
  std::optional<CertificateBundle> remembered_;
  std::string published_;
  std::optional<Time> published_at_;
};

}  // namespace ballast::webhooks
