#include "operator/controllers/suspect_sources.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/metric_source.h"
#include "api/base/invariant.h"
#include "operator/engine/conditions.h"
#include "operator/engine/metric/metric.h"
#include "operator/engine/metric/samples.h"
#include "operator/engine/policy/suspect_source.h"

namespace ballast::controllers {
namespace {

// So many policies at once are no coincidence.
constexpr std::size_t kFewest = 5;
constexpr Duration kRecently = Duration::Seconds(600);
// Until then a metrics server may have no sample of a new pod.
constexpr Duration kSampled = Duration::Seconds(120);
// A metric that was not looked at for so long is gone, or asked too seldom to be judged. Longer
// than any hold.
constexpr Duration kForgotten = Duration::Seconds(7200);

std::string SourceOf(const api::MetricSpec& metric) {
  return api::VisitSource(
      metric,
      api::SourceVisitor{
          [](const api::ResourceMetricSource&) { return std::string("metrics.k8s.io"); },
          [](const api::ContainerResourceMetricSource&) { return std::string("metrics.k8s.io"); },
          [](const api::PodsMetricSource&) { return std::string("custom.metrics.k8s.io"); },
          [](const api::ObjectMetricSource&) { return std::string("custom.metrics.k8s.io"); },
          [](const api::ExternalMetricSource&) { return std::string("external.metrics.k8s.io"); },
          [](const api::PrometheusMetricSource& prometheus) {
            return "the Prometheus source \"" + prometheus.source + "\"";
          },
          [](api::NoMetricSource) { return std::string(); }});
}

bool AboveZero(const engine::Samples& samples) {
  return std::ranges::any_of(samples, [](const auto& entry) { return entry.second.milli > 0; });
}

bool AboveZero(const api::MetricValueStatus& value) {
  const auto positive = [](const auto& quantity) { return quantity && quantity->MilliValue() > 0; };
  return positive(value.value) || positive(value.average_value) ||
         value.average_utilization.value_or(0) > 0;
}

// The pods that have run for long enough to have samples: a rollout is no lost source.
std::size_t CountSampled(const engine::Snapshot& snapshot) {
  const auto* pods = std::get_if<engine::PodList>(&snapshot.pods);
  if (pods == nullptr) {
    return 0;
  }
  return static_cast<std::size_t>(std::ranges::count_if(*pods, [&](const auto& pod) {
    return pod->phase == "Running" && pod->start_time &&
           snapshot.now - *pod->start_time >= kSampled;
  }));
}

// When a suspicion of an earlier process began: by the memory; or by the status, which may be ahead
// of it after a crash.
std::optional<Time> Remembered(const engine::Snapshot& snapshot) {
  const auto& remembered = snapshot.memory ? snapshot.memory->suspect_since : std::nullopt;
  if (remembered) {
    return std::min(*remembered, snapshot.now);
  }
  const api::Condition* held = engine::Find(snapshot.autoscaler.status.conditions, api::kHeld);
  if (held == nullptr || held->status != "True" || held->reason != engine::kSourceSuspect) {
    return std::nullopt;
  }
  return std::min(held->last_transition_time.value_or(snapshot.now), snapshot.now);
}

// Whether the status is about the metrics that the spec has now.
bool KnowsSpec(const api::Autoscaler& policy) {
  return policy.status.observed_generation == policy.metadata.generation;
}

}  // namespace

std::optional<SuspectSources::AnsweredMetric> SuspectSources::LevelOf(
    const engine::Snapshot& snapshot, std::size_t index) {
  const api::MetricSpec& spec = snapshot.autoscaler.spec.metrics[index];
  const engine::MetricAnswer& answer = snapshot.metrics[index];
  engine::Samples samples;
  if (const auto* pods = std::get_if<engine::PodMetricsList>(&answer)) {
    samples = spec.resource ? engine::ResourceSamples(*pods, "", spec.resource->name)
              : spec.container_resource
                  ? engine::ResourceSamples(*pods, spec.container_resource->container,
                                            spec.container_resource->name)
                  : engine::Samples();
  } else if (const auto* values = std::get_if<engine::MetricValueList>(&answer)) {
    if (!spec.pods) {
      const bool above = std::ranges::any_of(
          *values, [](const api::MetricValue& value) { return value.value.MilliValue() > 0; });
      return AnsweredMetric{.above_zero = above};
    }
    samples = engine::PodSamples(*values);
  } else {
    return std::nullopt;
  }
  const std::size_t pods = CountSampled(snapshot);
  return pods == 0 ? std::nullopt
                   : std::optional(AnsweredMetric{AboveZero(samples), samples.size(), pods});
}

SuspectSources::MetricHistory SuspectSources::FirstSeen(const engine::Snapshot& snapshot,
                                                        std::size_t index,
                                                        const AnsweredMetric& level) {
  MetricHistory metric;
  const auto remembered = Remembered(snapshot);
  if (remembered && (!level.above_zero || 2 * level.samples < level.pods)) {
    metric.lost = true;
    metric.since = remembered;
    return metric;
  }
  const auto& before = snapshot.autoscaler.status.current_metrics;
  const std::string& type = snapshot.autoscaler.spec.metrics[index].type;
  if (snapshot.last_evaluation && KnowsSpec(snapshot.autoscaler) && index < before.size() &&
      before[index].type == type && AboveZero(before[index].current)) {
    metric.well = std::min(*snapshot.last_evaluation, snapshot.now);
  }
  return metric;
}

void SuspectSources::MoveToPast(MetricHistory& metric, Time now) {
  for (Time* const time : {&metric.seen, &metric.well_since, &metric.most_at}) {
    *time = std::min(*time, now);
  }
  for (std::optional<Time>* const time : {&metric.well, &metric.since}) {
    *time = *time ? std::optional(std::min(**time, now)) : std::nullopt;
  }
}

void SuspectSources::Update(MetricHistory& metric, const AnsweredMetric& level, Time now) {
  metric.seen = now;
  const bool still_lost = metric.lost && !metric.well;  // nobody knows how many pods it had
  const bool covers =
      2 * level.samples >= level.pods || (2 * level.samples >= metric.most && !still_lost);
  if (!level.above_zero || !covers) {
    metric.lost = metric.lost || (metric.well && now - *metric.well <= kRecently);
    return;
  }
  if (metric.lost || !metric.well) {
    metric.lost = false;
    metric.well_since = now;
  }
  metric.well = now;
  if (level.samples >= metric.most || now - metric.most_at > kRecently) {
    metric.most = level.samples;
    metric.most_at = now;
  }
  if (now - metric.well_since >= kRecently) {
    metric.since.reset();
  }
}

bool SuspectSources::IsSuspect(const Policies& policies, Time now) {
  std::size_t count = 0;
  for (const auto& [uid, metrics] : policies) {
    const bool lost = std::ranges::any_of(metrics, [now](const auto& entry) {
      const MetricHistory& metric = entry.second;
      const auto& last = metric.well ? metric.well : metric.since;
      return metric.lost && last && now - *last <= kRecently;
    });
    if (lost && ++count == kFewest) {
      return true;
    }
  }
  return false;
}

std::optional<engine::SuspectSource> SuspectSources::Look(const engine::Snapshot& snapshot) {
  const auto& specs = snapshot.autoscaler.spec.metrics;
  std::optional<engine::SuspectSource> suspect;
  const auto blame = [&](const std::string& source, Time since) {
    if (!suspect || suspect->since < since) {  // the one that holds for longest counts
      suspect = engine::SuspectSource{source, since};
    }
  };
  if (!snapshot.autoscaler.is_policy()) {
    return suspect;
  }
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < std::min(specs.size(), snapshot.metrics.size()); ++i) {
    const std::string source = SourceOf(specs[i]);
    const auto level = LevelOf(snapshot, i);
    MetricHistory* metric = Known(source, snapshot.autoscaler.metadata.uid, specs[i]);
    if (metric == nullptr) {
      if (!level) {  // a restart, and no answer yet
        if (const auto remembered = Remembered(snapshot)) {
          blame(source, *remembered);
        }
        continue;
      }
      metric = &sources_[source][snapshot.autoscaler.metadata.uid][engine::IdentityOf(specs[i])];
      *metric = FirstSeen(snapshot, i, *level);
    }
    MoveToPast(*metric, snapshot.now);
    if (level) {
      Update(*metric, *level, snapshot.now);
      if (metric->lost && !metric->since && IsSuspect(sources_[source], snapshot.now)) {
        metric->since = snapshot.now;
      }
      INVARIANT(metric->Check());
    }
    if (metric->lost && metric->since) {
      blame(source, *metric->since);
    }
  }
  Sweep(snapshot.now);
  return suspect;
}

SuspectSources::MetricHistory* SuspectSources::Known(const std::string& source,
                                                     const std::string& uid,
                                                     const api::MetricSpec& spec) {
  const auto policies = sources_.find(source);
  if (policies == sources_.end()) {
    return nullptr;
  }
  const auto metrics = policies->second.find(uid);
  if (metrics == policies->second.end()) {
    return nullptr;
  }
  const auto metric = metrics->second.find(engine::IdentityOf(spec));
  return metric == metrics->second.end() ? nullptr : &metric->second;
}

std::size_t SuspectSources::size() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [source, policies] : sources_) {
    count += policies.empty() ? 1 : 0;
    for (const auto& [uid, metrics] : policies) {
      count += std::max<std::size_t>(metrics.size(), 1);
    }
  }
  return count;
}

void SuspectSources::Sweep(Time now) {
  if (swept_ && *swept_ <= now && now - *swept_ < kForgotten) {
    return;
  }
  swept_ = now;
  for (auto& [source, policies] : sources_) {
    for (auto& [uid, metrics] : policies) {
      std::erase_if(metrics,
                    [now](const auto& entry) { return now - entry.second.seen > kForgotten; });
    }
    std::erase_if(policies, [](const auto& entry) { return entry.second.empty(); });
  }
  // Their names are what policies say, so that there is no end to them.
  std::erase_if(sources_, [](const auto& entry) { return entry.second.empty(); });
}

}  // namespace ballast::controllers
