#include "operator/app/watches_part.h"

#include <chrono>

#include "operator/cluster/watch_silence.h"
#include "operator/runtime/reflector.h"

namespace ballast::app {
namespace {

constexpr std::chrono::minutes kSyncTimeout{2};
constexpr std::chrono::milliseconds kLook{100};  // how often the stop token is looked at
// The timeout leaves room for a streamed list that never completes and the paged list that follows
// it.
static_assert(runtime::WatchSource().stream_timeout + runtime::WatchSource().list_timeout <
              kSyncTimeout);

}  // namespace

WatchesPart::WatchesPart(const WatchesWiring& wiring, const std::vector<std::string>& namespaces,
                         cluster::ObjectReading reading)
    : clock_(wiring.clock),
      server_(wiring.server),
      calls_(wiring.calls),
      client_(wiring.led),
      mapper_(wiring.led),
      watches_(wiring.transport, wiring.clock, namespaces, reading, wiring.pool),
      targets_(wiring.transport, client_, mapper_, wiring.clock, namespaces, wiring.max_view_age,
               wiring.pool) {}

process::Manager::Part WatchesPart::Part() {
  return {"watches", [this](const std::stop_token& stop) { return Start(stop); },
          [this] { Stop(); }};
}

Status WatchesPart::Start(const std::stop_token& stop) {
  watches_.Start();
  const auto deadline = clock_.Steady() + kSyncTimeout;
  while (!stop.stop_requested() &&
         !(watches_.policies.WaitForSync(kLook) && watches_.hpas.WaitForSync(kLook) &&
           watches_.overrides.WaitForSync(kLook) && watches_.pods.WaitForSync(kLook))) {
    const Status ready = CheckReady();  // which the lists may have become meanwhile
    if (!ready.ok() && clock_.Steady() > deadline) {
      Stop();
      return Error{Code::kUnavailable, server_ + ": " + ready.error().message +
                                           " after 2 minutes; see the errors above"};
    }
  }
  return Done{};
}

Status WatchesPart::Renew(const std::stop_token& stop) {
  const process::SteadyTime since = clock_.Steady();
  watches_.policies.ReadAnew();
  watches_.hpas.ReadAnew();
  watches_.overrides.ReadAnew();
  while (!stop.stop_requested() &&
         !(watches_.policies.WaitForSync(kLook, since) && watches_.hpas.WaitForSync(kLook, since) &&
           watches_.overrides.WaitForSync(kLook, since))) {
    if (clock_.Steady() - since > kSyncTimeout) {
      return Error{
          Code::kUnavailable,
          server_ +
              ": policies, HorizontalPodAutoscalers and overrides cannot be listed, which a "
              "new leader does first, after 2 minutes; see the errors above"};
    }
  }
  return Done{};
}

void WatchesPart::Stop() {
  calls_.request_stop();
  watches_.Stop();
}

Status WatchesPart::CheckReady() const {
  const auto synced = [](const auto& watched, const char* kind) -> Status {
    if (watched.HasSynced()) {
      return Done{};
    }
    return Error{Code::kUnavailable, "there is no first list of kind " + std::string(kind)};
  };
  TRY(synced(watches_.policies, "AutoScalePolicy"));
  TRY(synced(watches_.hpas, "HorizontalPodAutoscaler"));
  TRY(synced(watches_.overrides, "AutoScaleOverride"));
  return synced(watches_.pods, "Pod");
}

std::string WatchesPart::DescribeSilence(Duration limit) const {
  return cluster::Describe(cluster::SilenceOf(watches_, targets_, clock_),
                           std::chrono::nanoseconds(limit.nanoseconds));
}

void WatchesPart::AddMetrics(telemetry::Registry& registry) const {
  cluster::AddSilenceMetrics(registry, watches_, targets_, clock_);
}

std::vector<telemetry::WatchDebugState> WatchesPart::DebugState() const {
  std::vector<telemetry::WatchDebugState> watches = watches_.DebugState();
  const auto more = targets_.DebugState();
  watches.insert(watches.end(), more.begin(), more.end());
  return watches;
}

}  // namespace ballast::app
