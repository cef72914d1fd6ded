#include "operator/controllers/overrides/override_keeper.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "api/json/json_writer.h"
#include "api/kubernetes/codec.h"
#include "operator/cluster/resources.h"
#include "operator/process/log.h"

namespace ballast::controllers {
namespace {

// Looks at least so often: at what stands in an override's way, which makes no event here, and in
// case that the wall clock was set.
constexpr std::chrono::seconds kLongestRest{15};

// Whoever made a shorter one knows when it ends, and need not be told. A minute more than the half
// hour that people ask for by a clock of their own.
constexpr Duration kLongestShort = Duration::Seconds(31 * 60);

std::string StatusPatch(const api::OverrideStatus& status) {
  json::Writer out;
  out.Object([&] {
    out.Object("status", [&] {
      out.Field("phase", status.phase);
      out.Key("message");
      if (status.message.empty()) {
        out.Null();  // removes what it had
      } else {
        out.Value(status.message);
      }
      out.Key("matched");
      if (status.matched) {
        out.Value(std::int64_t{*status.matched});
      } else {
        out.Null();
      }
      out.Field("owner", status.owner);
      api::EncodeField(out, "ended", status.ended);
    });
  });
  return out.Take();
}

bool DifferInOwnerAlone(api::OverrideStatus a, const api::OverrideStatus& b) {
  a.owner = b.owner;
  return a == b;
}

// Whatever it was, the watch shows it soon.
bool IsPassing(const Error& error) {
  return error.code == Code::kNotFound || error.code == Code::kConflict;
}

void Log(const char* message, const api::AutoScaleOverride& override, const Status& done) {
  if (done.ok() || IsPassing(done.error())) {
    return;
  }
  const std::string name = override.key().Print();
  log::Warn(log::About{name, Name(done.error().code)}, message,
            {{"override", name}, {"error", done.error().message}});
}

}  // namespace

OverrideMetrics::OverrideMetrics(telemetry::Registry& registry)
    : active(registry.Gauges("ballast_override_active",
                             "Number of overrides that count, by the kind of autoscaler and by "
                             "what they do (floor, ceiling, pin, hold).",
                             {"kind", "type"})),
      expires(registry.Gauges("ballast_override_expires_timestamp_seconds",
                              "When the first of the overrides that count ends, of the short ones "
                              "(half an hour at most) and of the long ones.",
                              {"kind", "type", "length"})) {}

OverrideKeeper::OverrideKeeper(OverrideWiring wiring)
    : on_(std::move(wiring)),
      runner_("overrides", on_.clock, [this](const std::stop_token& stop) { return Look(stop); }) {
  on_.watches.overrides.AddHandler([this](const auto& change) { OnChange(change); });
  on_.watches.policies.AddHandler([this](const auto& change) { OnAutoscaler(change); });
  on_.watches.hpas.AddHandler([this](const auto& change) { OnAutoscaler(change); });
}

void OverrideKeeper::Start() {
  running_ = true;
  runner_.Start();
}

void OverrideKeeper::Stop() { runner_.Stop(); }

// One that was made, ended or deleted counts or not from now on, unless it was over; nothing else
// of it changes but what is written here.
void OverrideKeeper::OnChange(const runtime::Informer<api::AutoScaleOverride>::Change& change) {
  if (!running_) {
    return;
  }
  const Time now = on_.clock.Now();
  const auto goes_on = [&](const cluster::OverridePointer& override) {
    return override != nullptr && !override->IsOver(now);
  };
  if (goes_on(change.before) != goes_on(change.after)) {
    const auto& known = change.after == nullptr ? change.before : change.after;
    std::ranges::for_each(on_.watches.SubjectsOf(*known), on_.evaluate);
  }
  runner_.Wake();
}

// With other labels other overrides count. (That there is a new one is news for whoever evaluates
// it, too.) What the statuses say of it follows within kLongestRest, or a rollout that edits each
// autoscaler would have all statuses looked at as often.
void OverrideKeeper::OnAutoscaler(const runtime::Informer<api::Autoscaler>::Change& change) {
  if (!running_ || change.before == nullptr || change.after == nullptr ||
      change.before->metadata.labels == change.after->metadata.labels) {
    return;
  }
  const Time now = on_.clock.Now();
  if (on_.watches.OverridesOf(*change.before, now) != on_.watches.OverridesOf(*change.after, now)) {
    on_.evaluate(change.after->reference());
  }
}

process::SteadyTime OverrideKeeper::Look(const std::stop_token& stop) {
  const process::Instant now = process::ReadBoth(on_.clock);
  const OverrideSteps steps = StepsAt(
      on_.watches.overrides.List(),
      {.subjects = [this](const auto& override) { return on_.watches.SubjectsOf(override); },
       .find = [this](const auto& autoscaler) { return on_.watches.Find(autoscaler); },
       .obstacle = on_.obstacle},
      told_, now.wall);
  told_ = steps.phases;
  // Before anything is written, which takes a while.
  for (const api::ObjectReference& autoscaler : steps.autoscalers) {
    on_.evaluate(autoscaler);
  }
  ShowMetrics(steps.active);
  // What is refused is tried again later; the next beginning or end does not wait for that.
  Write(steps, stop);
  auto wait = std::chrono::nanoseconds(kLongestRest);
  if (steps.next) {
    wait = std::clamp(std::chrono::nanoseconds((*steps.next - now.wall).nanoseconds),
                      std::chrono::nanoseconds(std::chrono::milliseconds(1)), wait);
  }
  return now.steady + wait;
}

void OverrideKeeper::Write(const OverrideSteps& steps, const std::stop_token& stop) {
  // The next turn writes the rest.
  const auto ends = [&] {
    return stop.stop_requested() || (steps.next && *steps.next <= on_.clock.Now());
  };
  for (const auto& [override, status] : steps.statuses) {
    if (ends()) {
      return;
    }
    if (!keeps_owners_ && DifferInOwnerAlone(status, override->status)) {
      continue;
    }
    const auto written = on_.client.PatchStatus(
        cluster::kOverrides, override->key(),
        {override->metadata.uid, override->metadata.resource_version}, StatusPatch(status));
    if (written.ok()) {
      keeps_owners_ = *written != override->metadata.resource_version;  // else nothing has changed
    }
    const Status done = written.ok() ? Status(Done{}) : Status(written.error());
    Log("the status of an override could not be written", *override, done);
  }
  for (const cluster::OverridePointer& override : steps.outdated) {
    if (ends()) {
      return;
    }
    const Status done =
        on_.client.Delete(cluster::kOverrides, override->key(), override->metadata.uid);
    Log("an override that ended long ago could not be deleted", *override, done);
  }
}

void OverrideKeeper::ShowMetrics(const std::vector<cluster::OverridePointer>& active) const {
  std::map<std::vector<std::string>, double> counts;
  std::map<std::vector<std::string>, double> ends;
  for (const cluster::OverridePointer& override : active) {
    std::vector<std::string> labels = {override->spec.kind,
                                       std::string(NameOf(*override->spec.type()))};
    ++counts[labels];
    const Time until = override->spec.until;
    labels.emplace_back(until - override->start() > kLongestShort ? "long" : "short");
    const auto end = static_cast<double>(until.unix_seconds());
    const auto [first, is_new] = ends.emplace(std::move(labels), end);
    first->second = std::min(first->second, end);
  }
  on_.metrics.active.Reset(counts);
  on_.metrics.expires.Reset(ends);
}

}  // namespace ballast::controllers
