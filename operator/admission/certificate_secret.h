// The webhook's certificates in the cluster: a Secret that all replicas share, and the webhook
// configurations that tell the API servers whom to trust.
//
// The Secret has ca.crt (all authorities, the newest first), ca.key, tls.crt and tls.key. The chart
// makes it empty, so that the operator needs no right to create Secrets; where it may, it does.
// Thread-safety: as the client's.
#pragma once

#include <string>

#include "api/kubernetes/meta.h"
#include "operator/kube/client.h"
#include "webhooks/certificates/certificate_keeper.h"

namespace ballast::admission {

class CertificateSecret final : public webhooks::CertificateStore {
 public:
  // `configuration`: the name of both the Mutating- and the ValidatingWebhookConfiguration.
  // `client` must outlive this.
  CertificateSecret(kube::Client& client, api::ObjectKey secret, std::string configuration)
      : client_(client), secret_(std::move(secret)), configuration_(std::move(configuration)) {}

  Result<Stored> Read() override;
  Status Write(const webhooks::CertificateBundle& bundle, const std::string& version) override;
  Status Publish(const std::string& authorities) override;

 private:
  Status PublishIn(const kube::Resource& kind, const std::string& bundle);

  kube::Client& client_;
  const api::ObjectKey secret_;
  const std::string configuration_;
};

}  // namespace ballast::admission
