#include "operator/runtime/events.h"

#include <chrono>
#include <utility>

#include "operator/process/guarded.h"
#include "operator/process/log.h"

namespace ballast::runtime {
namespace {

constexpr std::chrono::seconds kRequestTimeout{5};

void LogDropped(const DroppedEvent& dropped) {
  const ClusterEvent& event = dropped.event;
  const std::string cause = event.reason + " " + Name(dropped.why.code);
  log::Warn(log::About{event.regarding.namespace_ + "/" + event.regarding.name, cause},
            "an event was not recorded",
            {{"object", event.regarding.name},
             {"namespace", event.regarding.namespace_},
             {"reason", event.reason},
             {"error", dropped.why.message}});
}

}  // namespace

EventRecorder::EventRecorder(kube::Transport& transport, process::Clock& clock,
                             EventRecorderOptions options)
    : client_(transport, kRequestTimeout),
      clock_(clock),
      options_(std::move(options)),
      correlator_(options_.queue),
      runner_("events", clock, [this](const std::stop_token&) { return Turn(); }) {
  runner_.Start();
}

EventRecorder::~EventRecorder() { Stop(); }

void EventRecorder::Record(ClusterEvent event) {
  event = CutNote(std::move(event));
  {
    const std::lock_guard lock(mutex_);
    correlator_.Record(std::move(event));
    CountDropped();
  }
  runner_.Wake();
}

void EventRecorder::Stop() {
  {
    const std::lock_guard lock(mutex_);
    correlator_.Stop();
  }
  runner_.Stop();
  Turn();
}

std::uint64_t EventRecorder::dropped() const {
  const std::lock_guard lock(mutex_);
  return correlator_.dropped();
}

process::SteadyTime EventRecorder::Turn() {
  EventStep step = Step(std::nullopt);
  while (step.request) {
    // A defect that one event triggers costs only that event.
    step = Step(process::Guarded([&] { return Send(client_, options_.instance, *step.request); }));
  }
  return step.wake_at;
}

EventStep EventRecorder::Step(const std::optional<Status>& answer) {
  EventStep step;
  {
    const std::lock_guard lock(mutex_);
    step = correlator_.Step(process::ReadBoth(clock_), answer);
    CountDropped();
  }
  for (const DroppedEvent& dropped : step.dropped) {
    LogDropped(dropped);
  }
  return step;
}

void EventRecorder::CountDropped() {
  const std::uint64_t dropped = correlator_.dropped();
  options_.dropped_total.Add(static_cast<double>(dropped - counted_));
  counted_ = dropped;
}

}  // namespace ballast::runtime
