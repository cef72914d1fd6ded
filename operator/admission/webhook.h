// The admission webhook as the operator runs it: server, certificates, look-ups.
//
// Every replica serves, the leader rotates. Threads: the server's, and one that looks after the
// certificates every ten seconds; its failures are logged and tried again. Thread-safety: Start,
// Stop and the destructor are the owner's; Ready() is anybody's.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "api/base/result.h"
#include "api/kubernetes/meta.h"
#include "operator/admission/certificate_metrics.h"
#include "operator/admission/certificate_secret.h"
#include "operator/admission/cluster_lookup.h"
#include "operator/cluster/watches.h"
#include "operator/kube/client.h"
#include "operator/kube/transport.h"
#include "operator/net/http_server.h"
#include "operator/runtime/clock.h"
#include "webhooks/admit.h"
#include "webhooks/certificates/certificate_keeper.h"

namespace ballast::admission {

struct WebhookOptions {
  std::string address;  // "HOST:PORT"
  // Files that somebody else renews (tls.crt, tls.key); if empty, the Secret and what follows.
  std::string certificate_dir;
  api::ObjectKey secret;
  std::string configuration;       // of the two webhook configurations
  std::vector<std::string> hosts;  // by which the API server calls: DNS names, IP addresses
  webhooks::Hpas hpas = webhooks::Hpas::kWarn;
  std::function<bool()> is_leader = [] { return true; };
  CertificateMetrics metrics;
  // Put around what answers, to count it.
  std::function<net::HttpHandler(net::HttpHandler)> measured = [](auto handler) { return handler; };
};

class Webhook {
 public:
  // Listens at once; handshakes succeed from when there is a certificate. All three must outlive
  // the result. As HttpServer::Start.
  static Result<std::unique_ptr<Webhook>> Start(const WebhookOptions& options,
                                                const cluster::Watches& watches,
                                                kube::Transport& transport, runtime::Clock& clock);

  // Whether a review would be answered.
  bool Ready() const { return certificates_->Ready(clock_.Now()); }
  const std::string& address() const { return server_->address(); }
  // Loses no review: goes on for some seconds, until API servers call other replicas.
  void Stop();

 private:
  Webhook(const WebhookOptions& options, const cluster::Watches& watches,
          kube::Transport& transport, runtime::Clock& clock);
  void LookAfterCertificates(const std::stop_token& stop);

  runtime::Clock& clock_;
  const CertificateMetrics metrics_;
  ClusterLookup lookup_;
  kube::Client client_;
  CertificateSecret secret_;
  const std::shared_ptr<net::TlsIdentity> identity_ = std::make_shared<net::TlsIdentity>();
  std::unique_ptr<webhooks::Certificates> certificates_;
  std::unique_ptr<net::HttpServer> server_;
  std::jthread looking_after_;
};

}  // namespace ballast::admission
