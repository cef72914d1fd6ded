#include "operator/session/status_report.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string_view>

#include "api/autoscaling/condition_types.h"
#include "api/autoscaling/metric_source.h"
#include "api/base/digit.h"
#include "api/decision/memory_fields.h"
#include "api/json/json_writer.h"
#include "operator/engine/conditions.h"

namespace ballast::session {
namespace {

// For what is no news.
constexpr std::chrono::minutes kInterval{1};
constexpr std::chrono::minutes kDriftInterval{10};
// For how long it counts that something was told.
constexpr std::chrono::minutes kRemembered{10};
// So often conditions of one kind are news.
constexpr int kNewsAtMost = 3;

constexpr std::hash<std::string> kHash;

// The hash of a list of texts, numbers and times, of which no list is made. Numbers count as their
// bytes: std::hash leaves them as they are, and small ones would cancel each other out.
class ListHash {
 public:
  void Add(std::string_view text) { AddHash(std::hash<std::string_view>()(text)); }
  void Add(std::int64_t number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    Add(std::string_view(bytes, sizeof bytes));
  }
  void Add(const std::optional<Time>& time) {
    Add(time ? time->unix_nanoseconds() : std::numeric_limits<std::int64_t>::min());
  }
  void AddHash(std::size_t hash) {  // as Boost's hash_combine does
    hash_ ^= hash + 0x9e3779b97f4a7c15 + (hash_ << 6) + (hash_ >> 2);
  }

  std::size_t hash() const { return hash_; }

 private:
  std::size_t hash_ = 0;
};

std::string OrUnknown(const std::optional<Quantity>& value) {
  return value ? value->PrintShort() : "<unknown>";
}

// "45%/60%" or "120m/100m".
std::string PrintTarget(const api::MetricTarget& target, const api::MetricValueStatus& current) {
  if (target.average_utilization) {
    return (current.average_utilization ? std::to_string(*current.average_utilization) + "%"
                                        : "<unknown>") +
           "/" + std::to_string(*target.average_utilization) + "%";
  }
  if (target.average_value) {
    return OrUnknown(current.average_value) + "/" + target.average_value->PrintShort() + " (avg)";
  }
  return OrUnknown(current.value) + "/" + OrUnknown(target.value);
}

double RatioOf(const api::MetricTarget& target, const api::MetricValueStatus& current) {
  if (target.average_utilization && current.average_utilization) {
    return static_cast<double>(*current.average_utilization) / *target.average_utilization;
  }
  if (target.average_value && current.average_value) {
    return current.average_value->ToDouble() / target.average_value->ToDouble();
  }
  if (target.value && current.value) {
    return current.value->ToDouble() / target.value->ToDouble();
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> RatiosOf(const api::AutoscalerSpec& spec, const api::AutoscalerStatus& status) {
  std::vector<double> ratios;
  ratios.reserve(spec.metrics.size());
  for (std::size_t i = 0; i < spec.metrics.size(); ++i) {
    ratios.push_back(
        i < status.current_metrics.size()
            ? api::VisitSource(
                  spec.metrics[i],
                  api::SourceVisitor{[&](const auto& source) {
                                       return RatioOf(source.target,
                                                      status.current_metrics[i].current);
                                     },
                                     [](api::NoMetricSource) { return RatioOf({}, {}); }})
            : RatioOf({}, {}));
  }
  return ratios;
}

// Whether a metric moved by more than its tolerance, or got or lost its value.
bool HasMoved(const std::vector<double>& before, const std::vector<double>& now,
              const engine::Tolerances& tolerances) {
  return !std::equal(before.begin(), before.end(), now.begin(), now.end(), [&](double a, double b) {
    return std::isnan(a) || std::isnan(b)
               ? std::isnan(a) == std::isnan(b)
               : b - a <= tolerances.scale_up && a - b <= tolerances.scale_down;
  });
}

// Takes the fields of a memory.
struct MemoryHash {
  ListHash all = {};

  void operator()(const char*, const std::optional<Time>& since) { all.Add(since); }
  void operator()(const char* name, const auto& entries) { Always(name, entries); }
  void Always(const char*, const auto& entries) {
    all.Add(static_cast<std::int64_t>(entries.size()));
    for (const auto& [key, value] : entries) {
      all.Add(key);
      all.Add(value);
    }
  }
};

// Without its target: one of which nothing is remembered is not worth a write.
std::size_t HashOf(const engine::Memory& memory) {
  MemoryHash hash;
  engine::RememberedFields(hash, memory);
  return hash.all.hash();
}

std::string PrintMetric(const api::MetricSpec& metric, const api::MetricValueStatus& current) {
  return api::VisitSource(
      metric, api::SourceVisitor{
                  [&](const api::ResourceMetricSource& resource) {
                    return resource.name + ": " + PrintTarget(resource.target, current);
                  },
                  [&](const api::ContainerResourceMetricSource& resource) {
                    return resource.container + "/" + resource.name + ": " +
                           PrintTarget(resource.target, current);
                  },
                  [&](const api::PrometheusMetricSource& prometheus) {
                    return prometheus.source + ": " + PrintTarget(prometheus.target, current);
                  },
                  [&](const auto& custom) {
                    return custom.metric.name + ": " + PrintTarget(custom.target, current);
                  },
                  [](api::NoMetricSource) { return std::string("<unknown>"); }});
}

// Its message is an error's, or tells for how long something has been silent.
bool TellsFailure(const api::Condition& condition) {
  return condition.reason.starts_with("Failed") || condition.reason == engine::kOldView ||
         condition.type == api::kHistoryDegraded ||
         condition.message.starts_with(engine::kWouldKeep);
}

std::size_t FactsOf(const api::AutoscalerStatus& status) {
  ListHash facts;
  facts.Add(status.observed_generation.value_or(0));
  facts.Add(status.current_replicas);
  facts.Add(status.desired_replicas);
  facts.Add(status.last_scale_time);
  if (status.schedules) {
    json::Writer schedules;
    api::Encode(schedules, *status.schedules);
    facts.Add(schedules.Take());
  }
  return facts.hash();
}

// Times, ages, lengths of queues and the like make no other failure.
std::string WithoutNumbers(std::string text) {
  std::erase_if(text, IsDigit);
  return text;
}

std::string StatusPatch(const api::Autoscaler& autoscaler, const api::AutoscalerStatus& status,
                        const std::optional<LastDecision>& last_decision,
                        const std::optional<StatusMemory>& remembered) {
  const bool policy = autoscaler.is_policy();
  json::Writer w;
  w.Object([&] {
    w.Object("status", [&] {
      // Of an HPA this is also the claim (hpa/status_marks.h).
      w.Field("observedGeneration",
              policy ? status.observed_generation : autoscaler.metadata.generation);
      w.Field("currentReplicas", status.current_replicas);
      w.Field("desiredReplicas", status.desired_replicas);
      if (status.last_scale_time) {
        w.Field("lastScaleTime", Print(*status.last_scale_time));
      }
      if (policy) {
        w.Field("targets", PrintTargets(autoscaler.spec, status));
      }
      w.Array("currentMetrics", [&] {
        for (const api::MetricStatus& metric : status.current_metrics) {
          api::Encode(w, metric);
        }
      });
      w.Array("conditions", [&] {
        for (const api::Condition& condition : status.conditions) {
          api::Encode(w, condition);
        }
      });
      if (status.schedules) {
        w.Key("schedules");
        api::Encode(w, *status.schedules);
      } else if (autoscaler.status.schedules) {
        w.Key("schedules");
        w.Null();
      }
      if (policy && last_decision) {
        w.Object("lastDecision", [&] {
          w.Field("id", std::to_string(last_decision->id));
          w.Field("time", Print(last_decision->time));
          w.Field("limit", last_decision->limit ? NameOf(*last_decision->limit) : "");
        });
      }
      if (policy && remembered) {
        w.Object("memory", [&] { EncodeStatusMemory(w, *remembered); });
      }
    });
  });
  return w.Take();
}

}  // namespace

std::string PrintTargets(const api::AutoscalerSpec& spec, const api::AutoscalerStatus& status) {
  std::string text;
  for (std::size_t i = 0; i < spec.metrics.size(); ++i) {
    const api::MetricValueStatus current = i < status.current_metrics.size()
                                               ? status.current_metrics[i].current
                                               : api::MetricValueStatus();
    text += (i == 0 ? "" : ", ") + PrintMetric(spec.metrics[i], current);
  }
  return text;
}

StatusReport::Content StatusReport::ContentOf(const api::AutoscalerSpec& spec,
                                              const api::AutoscalerStatus& status) {
  ListHash kind;
  ListHash messages;
  ListHash failures;
  ListHash failure_kind;
  for (const api::Condition& condition : status.conditions) {
    kind.Add(condition.type);
    kind.Add(condition.status);
    kind.Add(condition.reason);
    const bool failure = TellsFailure(condition);
    messages.Add(failure ? std::string_view() : condition.message);
    if (failure) {
      failures.Add(condition.message);
      failure_kind.Add(WithoutNumbers(condition.message));
    }
  }
  messages.AddHash(kind.hash());
  return {.facts = FactsOf(status),
          .conditions = messages.hash(),
          .condition_kind = kind.hash(),
          .failures = failures.hash(),
          .failure_kind = failure_kind.hash(),
          .ratios = RatiosOf(spec, status)};
}

StatusReport::StatusReport(const api::AutoscalerSpec& spec, const api::AutoscalerStatus& stored)
    : sent_(ContentOf(spec, stored)) {
  sent_.memory = HashOf({});
}

void StatusReport::StoredWriter(const std::string& writer) { sent_.writer = kHash(writer); }

std::optional<StatusReport::Patch> StatusReport::Due(
    const api::Autoscaler& autoscaler, const api::AutoscalerStatus& status,
    const std::optional<LastDecision>& last_decision, const std::optional<StatusMemory>& remembered,
    const engine::Tolerances& tolerances, process::SteadyTime now) {
  if (refused_at_ && now - *refused_at_ < kInterval) {
    return std::nullopt;
  }
  const auto memory_hash = [&] {
    return remembered ? std::optional(HashOf(remembered->memory)) : sent_.memory;
  };
  offered_ = ContentOf(autoscaler.spec, status);
  offered_.writer = remembered ? std::optional(kHash(remembered->writer)) : sent_.writer;
  const auto waited = now - sent_at_;
  const bool rested = waited >= kInterval;
  const bool may_tell = rested || Told(offered_.condition_kind, now) < kNewsAtMost;
  const bool news =
      offered_.facts != sent_.facts || (sent_.writer && offered_.writer != sent_.writer);
  const bool conditions = may_tell && offered_.conditions != sent_.conditions;
  const bool wording =
      may_tell && offered_.failures != sent_.failures && Told(offered_.failure_kind, now) == 0;
  const bool memory = rested && memory_hash() != sent_.memory;
  const bool drift =
      waited >= kDriftInterval && HasMoved(sent_.ratios, offered_.ratios, tolerances);
  if (!news && !conditions && !wording && !memory && !drift) {
    return std::nullopt;
  }
  offered_.memory = memory_hash();
  Patch patch{StatusPatch(autoscaler, status, last_decision, remembered), std::nullopt};
  if (remembered && !autoscaler.is_policy()) {
    patch.memory = EncodeMemoryEntry(autoscaler.metadata.uid, *remembered);
  }
  return patch;
}

void StatusReport::Sent(process::SteadyTime now, bool remembered) {
  if (offered_.conditions != sent_.conditions || offered_.failures != sent_.failures) {
    Tell(offered_.condition_kind, now);
  }
  Tell(offered_.failure_kind, now);
  std::erase_if(told_, [&](const auto& kind) { return Told(kind.first, now) == 0; });
  sent_ = offered_;
  if (!remembered) {
    sent_.memory.reset();
  }
  sent_at_ = now;
}

void StatusReport::Lost() {
  sent_.facts.reset();
  sent_.memory.reset();
}

int StatusReport::Told(std::size_t kind, process::SteadyTime now) const {
  const auto told = told_.find(kind);
  return told == told_.end() || now - told->second.last >= kRemembered ? 0 : told->second.times;
}

void StatusReport::Tell(std::size_t kind, process::SteadyTime now) {
  told_[kind] = {now, Told(kind, now) + 1};
}

}  // namespace ballast::session
