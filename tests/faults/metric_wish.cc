#include "tests/faults/metric_wish.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ballast::faults {
namespace {

constexpr std::int64_t kRequested = 100;  // milli, by each pod
constexpr MetricWish kNoRule{MetricWish::Kind::kNoRule};

// The times of the samples; absent: one has none.
std::vector<std::optional<Time>> TimesOf(const engine::MetricAnswer& answer) {
  std::vector<std::optional<Time>> times;
  if (const auto* pods = std::get_if<engine::PodMetricsList>(&answer)) {
    for (const auto& pod : *pods) {
      times.emplace_back(pod->timestamp);
    }
  } else if (const auto* values = std::get_if<engine::MetricValueList>(&answer)) {
    for (const api::MetricValue& value : *values) {
      times.push_back(value.timestamp);
    }
  }
  return times;
}

class Wish {
 public:
  Wish(const engine::Snapshot& snapshot, std::size_t index)
      : snapshot_(snapshot),
        metric_(snapshot.autoscaler.spec.metrics[index]),
        answer_(snapshot.metrics[index]),
        scale_(std::get<api::Scale>(snapshot.scale)) {}

  MetricWish Find() const {
    if (std::holds_alternative<engine::Failure>(answer_)) {
      return {MetricWish::Kind::kFailed};
    }
    if (!std::ranges::all_of(TimesOf(answer_), [&](const auto& time) {
          return time && *time <= snapshot_.now + kBelieved && snapshot_.now <= *time + kBelieved;
        })) {
      return kNoRule;
    }
    if (const auto* pods = std::get_if<engine::PodMetricsList>(&answer_)) {
      return OfCpu(*pods);
    }
    const auto& values = std::get<engine::MetricValueList>(answer_);
    return metric_.pods ? OfPodValues(values) : OfValue(values);
  }

 private:
  struct Sample {
    std::int64_t milli = 0;
    Time time;
    Duration window;
  };
  using Samples = std::map<std::string, Sample>;  // by pod

  MetricWish OfValue(const engine::MetricValueList& values) const {
    const auto& target = metric_.external ? metric_.external->target
                         : metric_.object ? metric_.object->target
                                          : metric_.prometheus->target;
    if (values.size() != 1 || !target.average_value) {
      return kNoRule;
    }
    const std::int64_t value = values.front().value.MilliValue();
    const std::int64_t each = target.average_value->MilliValue();
    if (IsNear(static_cast<double>(value) / static_cast<double>(each * scale_.status_replicas))) {
      return {.count = IsPolicy() ? scale_.spec_replicas : scale_.status_replicas};
    }
    return {.count = (value + each - 1) / each};
  }

  MetricWish OfCpu(const engine::PodMetricsList& pods) const {
    Samples samples;
    for (const auto& pod : pods) {
      for (const api::ContainerMetrics& container : pod->containers) {  // there is one
        samples[pod->name] = {container.usage.at("cpu").MilliValue(), pod->timestamp, pod->window};
      }
    }
    return OfPods(metric_.resource ? metric_.resource->target : metric_.container_resource->target,
                  std::move(samples), true);
  }

  MetricWish OfPodValues(const engine::MetricValueList& values) const {
    Samples samples;
    for (const api::MetricValue& value : values) {
      samples[value.described_object] = {value.value.MilliValue(), {}, {}};
    }
    return OfPods(metric_.pods->target, std::move(samples), false);
  }

  // A pod without a sample works against the change that the others ask for, and so does one whose
  // CPU may still be that of its start.
  MetricWish OfPods(const api::MetricTarget& target, Samples samples, bool cpu) const {
    const auto* pods = std::get_if<engine::PodList>(&snapshot_.pods);
    if (pods == nullptr || pods->empty()) {
      return kNoRule;
    }
    std::int64_t ready = 0;
    std::vector<std::string> missing;
    std::vector<std::string> starting;
    for (const auto& pod : *pods) {
      const std::string& name = pod->metadata.name;
      const auto sample = samples.find(name);
      if (pod->metadata.deletion_timestamp || pod->phase != "Running") {
        return kNoRule;  // none is so in this world
      }
      if (sample == samples.end()) {
        missing.push_back(name);
      } else if (cpu && IsStarting(*pod, sample->second)) {
        starting.push_back(name);
        samples.erase(sample);
      } else {
        ++ready;
      }
    }
    const double ratio = RatioOf(target, samples, *pods);
    if (samples.empty() || (ratio == 0 && target.average_utilization)) {
      return kNoRule;  // of no known pod
    }
    if (missing.empty() && (starting.empty() || ratio <= 1)) {
      return {.count = IsNear(ratio) ? scale_.spec_replicas : Times(ratio, ready)};
    }
    for (const std::string& name : missing) {
      if (ratio != 1) {
        samples[name].milli = ratio > 1                    ? 0
                              : target.average_utilization ? std::max(kRequested, EachOf(target))
                                                           : EachOf(target);
      }
    }
    for (const std::string& name : ratio > 1 ? starting : std::vector<std::string>()) {
      samples[name].milli = 0;
    }
    const double cautious = RatioOf(target, samples, *pods);
    const std::int64_t count = Times(cautious, static_cast<std::int64_t>(samples.size()));
    const std::int64_t current = scale_.spec_replicas;
    const bool turns = (ratio < 1 && cautious > 1) || (ratio > 1 && cautious < 1);
    const bool contradicts = (cautious < 1 && count > current) || (cautious > 1 && count < current);
    return {.count = IsNear(cautious) || turns || contradicts ? current : count};
  }

  // Milli that each pod is to use.
  static std::int64_t EachOf(const api::MetricTarget& target) {
    return target.average_utilization ? kRequested * *target.average_utilization / 100
                                      : target.average_value->MilliValue();
  }

  // How much the pods use of what they are to use; of a utilization, pods that are gone have no
  // part in it.
  static double RatioOf(const api::MetricTarget& target, const Samples& samples,
                        const engine::PodList& pods) {
    std::int64_t sum = 0;
    std::int64_t count = 0;
    for (const auto& [name, sample] : samples) {
      const bool is_known =
          std::ranges::any_of(pods, [&](const auto& pod) { return pod->metadata.name == name; });
      if (is_known || !target.average_utilization) {
        sum += sample.milli;
        ++count;
      }
    }
    if (count == 0) {
      return 0;
    }
    return target.average_utilization
               ? static_cast<double>(sum * 100 / (count * kRequested)) /
                     static_cast<double>(*target.average_utilization)
               : static_cast<double>(sum / count) / static_cast<double>(EachOf(target));
  }

  bool IsStarting(const api::Pod& pod, const Sample& sample) const {
    if (!pod.ready || !pod.start_time) {
      return true;
    }
    const bool is_ready = pod.ready->status != "False";
    const Time since = pod.ready->last_transition_time.value_or(Time());
    if (*pod.start_time + Duration::Seconds(300) > snapshot_.now) {
      return !is_ready || sample.time < since + sample.window;
    }
    return !is_ready && *pod.start_time + Duration::Seconds(30) > since;
  }

  bool IsPolicy() const { return snapshot_.autoscaler.is_policy(); }

  bool IsNear(double ratio) const {
    const auto tolerance = [&](const auto& rules) {
      return rules && rules->tolerance && IsPolicy() ? rules->tolerance->ToDouble() : 0.1;
    };
    const auto& behavior = *snapshot_.autoscaler.spec.behavior;
    return 1.0 - tolerance(behavior.scale_down) <= ratio &&
           ratio <= 1.0 + tolerance(behavior.scale_up);
  }

  const engine::Snapshot& snapshot_;
  const api::MetricSpec& metric_;
  const engine::MetricAnswer& answer_;
  const api::Scale& scale_;
};

}  // namespace

MetricWish MetricWishOf(const engine::Snapshot& snapshot, std::size_t index) {
  return Wish(snapshot, index).Find();
}

bool HasUsedSample(const engine::Snapshot& snapshot, std::size_t index) {
  const auto times = TimesOf(snapshot.metrics[index]);
  if (!snapshot.autoscaler.is_policy() || times.empty()) {
    return false;
  }
  const auto newest = *std::ranges::max_element(times);
  const api::MetricSpec& metric = snapshot.autoscaler.spec.metrics[index];
  const std::string name = metric.external ? metric.external->metric.name
                           : metric.object ? metric.object->metric.name
                           : metric.pods   ? metric.pods->metric.name
                                           : "";
  return newest && std::ranges::any_of(snapshot.memory->used_samples, [&](const auto& used) {
           return used.metric.starts_with(metric.type + "/") && used.metric.ends_with(name) &&
                  *newest <= used.timestamp && used.timestamp <= snapshot.now + kBelieved;
         });
}

std::int64_t Times(double ratio, std::int64_t pods) {
  return static_cast<std::int64_t>(std::ceil(ratio * static_cast<double>(pods)));
}

}  // namespace ballast::faults
