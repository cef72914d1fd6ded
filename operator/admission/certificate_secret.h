// The webhook's certificates in the cluster: a Secret that all replicas share, and the caBundle of
// the webhook configurations, by which API servers verify the webhook.
//
// The Secret has ca.crt (all authorities, the newest first), ca.key, tls.crt and tls.key. The chart
// creates it empty, so that the operator needs no permission to create Secrets; without the chart
// the operator creates it.
//
// Thread-safety: any thread, if the Client's Transport allows it.
// Errors: the API server's, kConflict from Write included; kNotFound and kForbidden say how to
// install the webhook. Read: a missing Secret is no error.
#pragma once

#include <string>

#include "api/kubernetes/meta.h"
#include "operator/kube/client.h"
#include "webhooks/certificates/certificate_keeper.h"

namespace ballast::admission {

class CertificateSecret final : public webhooks::CertificateStore {
 public:
  // `configuration`: the common name of the MutatingWebhookConfiguration and the
  // ValidatingWebhookConfiguration. `client` must outlive the CertificateSecret.
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
