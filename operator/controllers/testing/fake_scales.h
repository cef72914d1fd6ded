// Scales as a session sees them, over an API server that a test answers for.
//
// Thread-safety: any thread, if the test's answers are.
// Errors: the test's.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "operator/cluster/scale_targets.h"
#include "operator/controllers/cluster_ports.h"
#include "operator/kube/client.h"
#include "operator/kube/discovery.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_discovery.h"
#include "tests/support/fake_transport.h"

namespace ballast::controllers {

class FakeScales {
 public:
  // `answer` answers everything but discovery.
  FakeScales(support::FakeClock& clock,
             std::function<Result<kube::Response>(const kube::Request&)> answer)
      : transport_(
            [answer = std::move(answer)](const kube::Request& request) {
              const auto discovered = support::DiscoverApps(request.path);
              return discovered ? Result<kube::Response>(*discovered) : answer(request);
            },
            [](const auto&, const auto&, const auto&) -> Status { return Done{}; }),
        mapper_(transport_, clock),
        targets_(transport_, client_, mapper_, clock, {}, Duration::Seconds(120)),
        port(client_, targets_, clock) {}

  // How many requests were sent, those for discovery included.
  std::size_t sent() const { return transport_.requests().size(); }

 private:
  support::FakeTransport transport_;
  kube::Client client_{transport_};
  kube::RestMapper mapper_;
  cluster::ScaleTargets targets_;

 public:
  ClusterScales port;
};

}  // namespace ballast::controllers
