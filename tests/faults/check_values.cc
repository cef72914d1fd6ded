// The values of the invariant "answer": what metrics are said to have been, how old, and to ask
// for.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <regex>
#include <string>
#include <variant>

#include "api/kubernetes/quantity.h"
#include "tests/faults/answer_words.h"
#include "tests/faults/check_answers.h"

namespace ballast::faults {
namespace {

constexpr std::int64_t kUnits = 10;  // what each metric wants for a replica

// The metrics' values in a load that needs so many replicas: the whole load, and each part of it.
std::vector<std::int64_t> ValuesOf(const Load& load, std::int64_t needed) {
  std::vector<std::int64_t> values{kUnits * needed};
  for (const Load::Part& part : load.parts) {
    values.push_back(kUnits * needed / part.divisor);
  }
  return values;
}

// "8236m", "10.75" in thousandths.
std::int64_t MilliOf(const std::string& number) {
  const auto quantity = ParseQuantity(number);
  return quantity.ok() ? quantity->MilliValue() : -1;
}

}  // namespace

// What metrics of the whole load are said to ask for is what the load needed, or a part of it while
// another metric fails.
void Answers::CheckMetrics(const Answer& answer) {
  const std::string& said = answer.sentence;
  const Load& load = loads_[answer.index];
  if (load.per_pod() || !load.windows.empty() || !answer.moment.HasItsInputs()) {
    return;  // it depends on which pods count, or what else bounds it
  }
  const auto& inputs = *answer.moment.inputs;
  const std::int64_t current = inputs.decision.current_replicas;
  const auto* scale = std::get_if<api::Scale>(&inputs.snapshot.scale);
  // An average is one of the pods that there are.
  const bool differ = scale == nullptr || scale->status_replicas != current;
  if (load.hpa && differ) {
    return;  // as upstream counts
  }
  const bool may_fail = IsDisturbed() || swarm_.Has(Fault::kMetricOutages);
  const auto is_near = [](std::int64_t value, std::int64_t count) {
    return std::abs(value - kUnits * count) <= count;
  };
  const auto was_so = [&](const std::function<bool(std::int64_t)>& of_value) {
    return WasNeeded(answer, answer.explained, [&](std::int64_t needed) {
      const auto values = ValuesOf(load, needed);
      return std::any_of(values.begin(), may_fail ? values.end() : values.begin() + 1, of_value);
    });
  };
  const auto one = NumberAfter(said, "its metric asks for ");
  const auto asked = one ? one : NumberAfter(said, "its metrics ask for ");
  const auto enough = NumberBefore(said, " would be enough by its metric");
  // Within the tolerance a policy stays at the target's spec, however many pods there are.
  const bool as_many = !differ && Has(said, " for just as many");
  for (const auto& count :
       {asked ? asked : enough, as_many ? std::optional(current) : std::nullopt}) {
    // The pods that there are may be enough.
    const bool had = count && HadCount(answer.index, answer.explained, ViewAge(),
                                       [&](std::int64_t pods) { return pods == *count; });
    if (count && *count != 0 && !was_so([&](std::int64_t value) {
          return *count == (value + kUnits - 1) / kUnits || (had && is_near(value, *count));
        })) {
      Fail(answer, "the load did not need " + std::to_string(*count));
    }
  }
  const std::int64_t pods = scale == nullptr ? current : scale->status_replicas;
  if (Has(said, " close enough to ") &&
      !was_so([&](std::int64_t value) { return is_near(value, pods); })) {
    Fail(answer, "the load was not near " + std::to_string(pods));
  }
}

// Whether a metric could be that: `name` ends in ".1" for a part of the load, `milli` is for each
// pod.
bool Answers::WasOf(const Answer& answer, const std::vector<Span>& spans, const std::string& name,
                    std::int64_t milli) const {
  const Load& load = loads_[answer.index];
  const auto dot = name.find('.');
  const std::optional<std::size_t> part =
      dot == std::string::npos ? std::nullopt : std::optional(std::stoull(name.substr(dot + 1)));
  if (part && *part >= load.parts.size()) {
    return false;
  }
  const std::int64_t divisor = part ? load.parts[*part].divisor : 1;
  const bool per_pod = IsPerPod(part ? load.parts[*part].kind : load.metric);
  const Nanoseconds before = load.sample_every + ViewAge();
  return WasNeeded(answer, spans, [&](std::int64_t needed) {
    const std::int64_t all =
        per_pod ? 1000 * kUnits * needed / divisor : kUnits * needed / divisor * 1000;
    // Where there is no pod, the whole is one's.
    const auto is_it = [&](std::int64_t count) {
      const std::int64_t pods = std::max<std::int64_t>(count, 1);
      return std::abs(milli * pods - all) <= pods;
    };
    return HadCount(answer.index, spans, before, [&](std::int64_t count) {
      std::int64_t pods = count;
      while (per_pod && pods > 1 && !is_it(pods)) {
        --pods;  // those that are not ready have no sample
      }
      return is_it(pods);
    });
  });
}

// "web-0.1 was at 16.5 a pod, its target is 10 a pod"
void Answers::CheckValues(const Answer& answer) {
  static const std::regex kValue(
      "(web-[0-9]+(\\.[0-9]+)?|cpu|cpu of container web|the query of main) was at ([0-9.]+)( a "
      "pod|%), its target is ([0-9.]+)( a pod|%)");
  const std::string& said = answer.sentence;
  for (std::sregex_iterator at(said.begin(), said.end(), kValue), end; at != end; ++at) {
    const std::smatch& found = *at;
    const bool percent = found[4] == "%";
    const std::int64_t milli = percent ? std::atoll(found[3].str().c_str()) : MilliOf(found[3]);
    if (!WasOf(answer, answer.explained, found[2], milli)) {
      Fail(answer, "no load of that time was \"" + found.str() + "\"");
    }
    if (found[4] != found[6] || found[5] != (percent ? "10000" : "10")) {
      Fail(answer, "the target is another one");
    }
  }
}

// "External/web-0.1 at 8236m, 5s old", of a later evaluation.
void Answers::CheckReadings(const Answer& answer) {
  static const std::regex kReading(
      "[A-Z][A-Za-z]+/[^ ]*?(\\.[0-9]+)? at ([0-9]+m?|[0-9]+k)(%?)(, "
      "([0-9.dhms]+) old)?(; |\\. |\\.$)");
  const auto begin = answer.text.find("it came to the same with ");
  if (begin == std::string::npos) {
    return;
  }
  const std::string said = answer.text.substr(begin);
  for (std::sregex_iterator at(said.begin(), said.end(), kReading), end; at != end; ++at) {
    const std::smatch& found = *at;
    const bool percent = found[3].length() > 0;
    if (!WasOf(answer, answer.newest, found[1], MilliOf(found[2]) / (percent ? 1000 : 1))) {
      Fail(answer, "no load of that time was \"" + found.str() + "\"");
    }
    if (found[5].matched) {
      CheckAge(answer, found[5]);
    }
  }
}

// The sample that was so old in the newest evaluation is one of the load's, whose clock is ahead.
void Answers::CheckAge(const Answer& answer, const std::string& age) {
  const Load& load = loads_[answer.index];
  const Nanoseconds evaluated = answer.moment.point->time.unix_nanoseconds();
  const Rounded old = RoughAfter(age, "");
  const auto stamp = [&](Nanoseconds time) {
    return Machine().Wall(load.SampledAt(time)) + load.ahead;
  };
  const bool was = std::ranges::any_of(answer.newest, [&](Span span) {
    // One whose time is still to come is no time old.
    return stamp(span.until + kRead) >= evaluated - old.span - old.error - kSecond &&
           (old.span == 0 ||
            stamp(span.from - kRead - ViewAge()) <= evaluated - old.span + kSecond);
  });
  if (!was && !answer.newest.empty()) {
    Fail(answer, "no sample was " + age + " old");
  }
}

}  // namespace ballast::faults
