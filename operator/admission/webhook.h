// The admission webhook as the operator runs it: server, certificates, look-ups.
//
// Every replica serves; only the leader rotates certificates. Threads: the server's, and one that
// checks the certificates every ten seconds (every second until there is one).
//
// Thread-safety: Start, Stop and the destructor: owning thread only. Ready and address: any thread.
// Errors: Start: as HttpServer::Start. Failed certificate checks are logged and repeated.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "api/autoscaling/policy_rules.h"
#include "api/base/namespaces.h"
#include "api/base/result.h"
#include "api/decision/snapshot.h"
#include "operator/admission/certificate_care.h"
#include "operator/admission/cluster_lookup.h"
#include "operator/cluster/watches.h"
#include "operator/kube/transport.h"
#include "operator/net/http_server.h"
#include "operator/process/clock.h"
#include "webhooks/admit.h"

namespace ballast::admission {

struct WebhookOptions {
  std::string address;  // "HOST:PORT"
  CertificateOptions certificates;
  webhooks::Hpas hpas = webhooks::Hpas::kWarn;
  // Where policies may take over from HPAs, and HPAs may be managed.
  Namespaces take_over_in;
  // The sources of --metric-sources by name: which namespaces may use them.
  std::map<std::string, Namespaces> metric_sources;
  // As ClusterLookup's.
  Duration max_view_age = engine::Settings().max_view_age;
  api::PolicyRules policy_rules;
  Duration longest_override = api::kUsualLongestOverride;
  // Wraps the handler, to instrument it.
  std::function<net::HttpHandler(net::HttpHandler)> measured = [](auto handler) { return handler; };
};

class Webhook {
 public:
  // Listens at once; TLS handshakes succeed once there is a certificate. `watches`, `transport` and
  // `clock` must outlive the Webhook. Errors: as HttpServer::Start.
  static Result<std::unique_ptr<Webhook>> Start(const WebhookOptions& options,
                                                const cluster::Watches& watches,
                                                kube::Transport& transport, process::Clock& clock);

  // Whether there is a certificate to serve reviews with.
  bool Ready() const { return certificates_.Ready(); }
  const std::string& address() const { return server_->address(); }
  // Goes on serving for three seconds, until API servers call other replicas, so that no review
  // fails; then up to five seconds for reviews under way.
  void Stop();

 private:
  Webhook(const WebhookOptions& options, const cluster::Watches& watches,
          kube::Transport& transport, process::Clock& clock);

  const api::PolicyRules policy_rules_;
  ClusterLookup lookup_;
  CertificateCare certificates_;
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace ballast::admission
