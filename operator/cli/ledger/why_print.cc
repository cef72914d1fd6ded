#include "operator/cli/ledger/why_print.h"

#include <algorithm>
#include <map>

#include "api/base/human_duration.h"
#include "api/decision/decision_json.h"
#include "api/json/json_writer.h"
#include "operator/cli/ledger/history_print.h"
#include "operator/cli/ledger/line_fields.h"
#include "operator/cli/ledger/why_answer.h"
#include "operator/cli/terminal/one_line.h"
#include "operator/cli/terminal/table.h"
#include "operator/engine/words.h"

namespace ballast::cli {
namespace {

using store::Entry;

// ---- Text

std::string Indented(const std::vector<Row>& rows) {
  std::vector<Row> indented = rows;
  for (Row& row : indented) {
    row.front() = "  " + row.front();
  }
  return Align(indented);
}

std::string Section(const std::string& title, const std::vector<Row>& rows) {
  return rows.empty() ? "" : "\n" + title + "\n" + Indented(rows);
}

// The evaluation at that moment, with the same result as the explained one, or almost the same.
std::string DescribePoint(const store::SeriesPoint& point, const Entry& entry, Zone zone) {
  std::string text = PrintNear(zone, point.time, entry.time);
  if (point.reason != entry.reason) {
    text += ": " + point.reason;
  }
  return text + (point.readings.empty() ? "" : ": ") + DescribeReadings(point);
}

std::string DescribeTimeline(const store::Timeline& timeline, Time began, Zone zone) {
  std::string text = "began " + PrintNear(zone, began, began);
  const auto add = [&](const char* what, const std::optional<Time>& time) {
    if (time) {
      text += std::string(", ") + what + " +" + HumanDuration(*time - began);
    }
  };
  if (timeline.sampled) {
    text = "sampled " + HumanDuration(began - *timeline.sampled) + " before, " + text;
  }
  add("answers", timeline.seen);
  add("decided", timeline.decided);
  add("written", timeline.written);
  add("pods ready", timeline.ready);
  return text;
}

std::string DescribeDecision(const explain::Moment& why, Zone zone) {
  const Entry& entry = *why.decided;
  const Duration before = why.at - entry.time;
  std::vector<Row> rows = {
      {"when",
       PrintIn(zone, entry.time) + " " + NameOf(zone, entry.time) + " (" +
           (before < Duration::Seconds(1) ? "at that moment" : HumanDuration(before) + " before") +
           ")"},
      {"replicas", Replicas(entry)},
      {"reason", entry.reason + ": " + entry.message},
      {"record",
       entry.subject.kind + " " + entry.subject.key.Print() + ", decision " +
           std::to_string(entry.id) +
           (entry.evaluated() ? ", engine version " + std::to_string(entry.engine) : "")}};
  if (entry.until > entry.time) {
    rows.push_back({"lasted", "the same result at each evaluation until " +
                                  PrintNear(zone, entry.until, entry.time) +
                                  (entry.open ? " so far" : "")});
  }
  if (why.recorded && why.point && why.point->time > entry.time) {
    rows.push_back({"then", DescribePoint(*why.point, entry, zone)});
  }
  if (const std::string outcome = Outcome(entry); !outcome.empty()) {
    rows.push_back({"outcome", outcome + (entry.error.empty() ? "" : ": " + entry.error) +
                                   (entry.settled ? ", known since " +
                                                        PrintNear(zone, *entry.settled, entry.time)
                                                  : "")});
  }
  if (why.timeline) {
    rows.push_back({"its way", DescribeTimeline(*why.timeline, entry.time, zone)});
  }
  if (why.foreign_change) {
    const auto& change = why.foreign_change->change;
    rows.push_back({"before it", std::to_string(change.from) + " -> " + std::to_string(change.to) +
                                     ": " + OneLine(DescribeForeignChange(change, zone)) +
                                     ", noticed " + PrintNear(zone, change.time, entry.time)});
  }
  for (const store::EditEntry& edited : why.edits) {
    rows.push_back({"edited", OneLine(DescribeEdit(edited.edit, zone))});
  }
  return Section("The decision", rows);
}

std::string DescribeTarget(const engine::Snapshot& snapshot) {
  const auto& target = snapshot.autoscaler.spec.scale_target_ref;
  std::string text = target.kind + " " + target.name + ": ";
  if (const auto* failure = std::get_if<engine::Failure>(&snapshot.scale)) {
    return text + failure->message;
  }
  const auto& scale = std::get<api::Scale>(snapshot.scale);
  return text + engine::Replicas(scale.spec_replicas) + " wanted, " +
         engine::Count(scale.status_replicas, "pod") + " present";
}

// For policies with podSelection Owned.
std::string DescribePods(const engine::Snapshot& snapshot) {
  const auto* pods = std::get_if<engine::PodList>(&snapshot.pods);
  if (pods == nullptr) {
    return std::get<engine::Failure>(snapshot.pods).message;
  }
  return std::to_string(pods->size()) + " that the target owns; " +
         std::to_string(snapshot.pods_left_out) +
         " others match its selector and do not count (podSelection Owned)";
}

// The latest time at which each count was recommended, the highest count first, at most five.
std::string DescribeRecommendations(const engine::Memory& memory, Time now, Zone zone) {
  constexpr std::size_t kMost = 5;
  std::map<std::int32_t, Time, std::greater<>> latest;
  for (const auto& recommendation : memory.recommendations) {
    Time& time = latest.try_emplace(recommendation.replicas, recommendation.time).first->second;
    time = std::max(time, recommendation.time);
  }
  std::string text;
  std::size_t shown = 0;
  for (const auto& [replicas, time] : latest) {
    if (++shown > kMost) {
      return text + ", ...";
    }
    text +=
        (text.empty() ? "" : ", ") + std::to_string(replicas) + " at " + PrintNear(zone, time, now);
  }
  return text;
}

std::string DescribeScaleEvents(const engine::Memory& memory, Time now, Zone zone) {
  std::string text;
  const auto add = [&](const std::vector<engine::ScaleEvent>& events, const char* sign) {
    for (const auto& event : events) {
      text += (text.empty() ? "" : ", ") + (sign + std::to_string(event.change)) + " at " +
              PrintNear(zone, event.time, now);
    }
  };
  add(memory.scale_ups, "+");
  add(memory.scale_downs, "-");
  return text;
}

std::string DescribeInputs(const explain::Explanation& inputs, Zone zone) {
  const engine::Snapshot& snapshot = inputs.snapshot;
  const auto& spec = snapshot.autoscaler.spec;
  const engine::Bounds& bounds = inputs.decision.bounds;
  std::vector<Row> rows = {
      {"target", DescribeTarget(snapshot)},
      {"bounds", std::to_string(bounds.min) + " to " + std::to_string(bounds.max) + " replicas" +
                     (spec.mode.empty() ? "" : ", mode " + spec.mode)}};
  if (spec.pod_selection == api::kOwnedPods) {
    rows.insert(rows.begin() + 1, {"pods", DescribePods(snapshot)});
  }
  for (const explain::MetricView& metric : inputs.metrics) {
    rows.push_back(
        {metric.name,
         metric.text + (metric.age ? " Newest sample: " + HumanAge(*metric.age) + "." : "")});
  }
  if (const auto& every = snapshot.samples_every) {
    rows.push_back({"rhythm", "metrics.k8s.io has new samples every " + HumanDuration(*every) +
                                  "; evaluations come right behind them"});
  }
  if (const auto& memory = snapshot.memory) {
    const std::string recommended = DescribeRecommendations(*memory, snapshot.now, zone);
    const std::string scaled = DescribeScaleEvents(*memory, snapshot.now, zone);
    if (!recommended.empty()) {
      rows.push_back({"recommended", "last: " + recommended});
    }
    if (!scaled.empty()) {
      rows.push_back({"scaled", scaled});
    }
  }
  return Section("What it was made from", rows);
}

// All rules but kScale and kMetric, which are among the inputs.
std::string DescribeRules(const explain::Explanation& inputs) {
  std::vector<Row> rows;
  for (const engine::Step& step : inputs.decision.trace) {
    if (step.rule == engine::Rule::kScale || step.rule == engine::Rule::kMetric) {
      continue;
    }
    const std::string out = OutputOf(step);
    const bool moved = step.in && step.out && step.in != step.out;
    rows.push_back({(IsBoundBy(inputs, step.rule) ? "* " : "  ") + NameOf(step),
                    moved ? InputOf(step) + " -> " + out : out, step.text});
  }
  return Section("The rules, in their order (* is the one that set the count)", rows);
}

std::string DescribeAlternatives(const explain::Explanation& inputs, Zone zone) {
  std::vector<Row> rows;
  if (inputs.release) {
    rows.push_back({std::to_string(inputs.release->replicas),
                    "from " + PrintNear(zone, inputs.release->at, inputs.snapshot.now) +
                        " on, if the load stays as it is"});
  }
  for (const explain::Alternative& alternative : inputs.alternatives) {
    rows.push_back({std::to_string(alternative.replicas), alternative.what});
  }
  return Section("It would have been", rows);
}

std::string DescribeNext(const Entry& next, Time at, Zone zone) {
  const std::string outcome = Outcome(next);
  return Section("What was decided next", {{PrintNear(zone, next.time, at), Replicas(next), outcome,
                                            next.reason + ": " + next.message}});
}

// ---- JSON

void WriteInputs(json::Writer& out, const explain::Explanation& inputs, const Entry& of) {
  out.Field("decision", of.id);
  out.Field("time", Print(inputs.snapshot.now));
  out.Array("metrics", [&] {
    for (const explain::MetricView& metric : inputs.metrics) {
      out.Object([&] {
        out.Field("rule", metric.name);
        out.Field("text", metric.text);
        out.Field("proposal", metric.proposal);
        if (metric.age) {
          out.Field("ageSeconds", metric.age->seconds());
        }
      });
    }
  });
  out.Field("binding", inputs.obstacle ? NameOf(inputs.obstacle->rule) : "");
  out.Array("trace", [&] {
    for (const engine::Step& step : inputs.decision.trace) {
      engine::Step shown = step;
      shown.binding = IsBoundBy(inputs, step.rule);  // the one that set the count
      Encode(out, shown);
    }
  });
  if (inputs.release) {
    out.Object("release", [&] {
      out.Field("at", Print(inputs.release->at));
      out.Field("replicas", inputs.release->replicas);
    });
  }
  out.Array("alternatives", [&] {
    for (const explain::Alternative& alternative : inputs.alternatives) {
      out.Object([&] {
        out.Field("what", alternative.what);
        out.Field("replicas", alternative.replicas);
      });
    }
  });
}

void WriteTimeline(json::Writer& out, const store::Timeline& timeline) {
  out.Object("timeline", [&] {
    const auto field = [&](const char* name, const std::optional<Time>& time) {
      if (time) {
        out.Field(name, Print(*time));
      }
    };
    field("sampled", timeline.sampled);
    field("seen", timeline.seen);
    field("decided", timeline.decided);
    field("written", timeline.written);
    field("ready", timeline.ready);
  });
}

void WritePoint(json::Writer& out, const store::SeriesPoint& point) {
  out.Object("evaluation", [&] {
    out.Field("time", Print(point.time));
    out.Field("currentReplicas", point.current_replicas);
    out.Field("desiredReplicas", point.desired_replicas);
    out.Field("reason", point.reason);
    out.Array("readings", [&] {
      for (const store::Reading& reading : point.readings) {
        out.Object([&] {
          out.Field("metric", reading.metric);
          out.Field("target", reading.target);
          out.Field("milli", reading.milli);
          if (reading.sampled) {
            out.Field("sampled", Print(*reading.sampled));
          }
        });
      }
    });
  });
}

void WriteEntry(json::Writer& out, const char* name, const std::optional<Entry>& entry) {
  if (entry) {
    WriteFields(out, name, *entry);
  }
}

}  // namespace

std::string WhyText(const explain::Moment& why, const std::string& answer, Zone zone) {
  std::string text = answer + "\n";
  if (why.decided) {
    text += DescribeDecision(why, zone);
  }
  if (why.inputs) {
    if (why.inputs_of->id != why.decided->id) {
      text +=
          "\nThe inputs of this decision were not kept. The last ones before it that were are of " +
          PrintNear(zone, why.inputs_of->time, why.decided->time) + " (decision " +
          std::to_string(why.inputs_of->id) + ", " + Replicas(*why.inputs_of) +
          "); what follows is about those.\n";
    }
    text += DescribeInputs(*why.inputs, zone) + DescribeRules(*why.inputs) +
            DescribeAlternatives(*why.inputs, zone);
  } else if (why.decided) {
    text += "\nMore cannot be told: " + why.inputs_problem + ".\n";
  }
  if (why.next) {
    text += DescribeNext(*why.next, why.at, zone);
  }
  return text;
}

std::string WhyJson(const explain::Moment& why, const std::string& answer) {
  json::Writer out;
  out.Object([&] {
    if (why.decided && !why.decided->ledger.empty()) {
      out.Field("pod", why.decided->ledger);
    }
    out.Field("namespace", why.key.namespace_);
    out.Field("name", why.key.name);
    out.Field("at", Print(why.at));
    out.Field("answer", answer);
    out.Field("recorded", why.recorded);
    if (why.gap) {
      WriteFields(out, "gap", *why.gap);
    }
    if (why.deleted_until) {
      out.Field("deletedUntil", Print(*why.deleted_until));
    }
    WriteEntry(out, "decided", why.decided);
    if (why.timeline) {
      WriteTimeline(out, *why.timeline);
    }
    if (why.point) {
      WritePoint(out, *why.point);
    }
    if (why.foreign_change) {
      WriteFields(out, "foreignChange", *why.foreign_change);
    }
    if (!why.edits.empty()) {
      out.Array("edits", [&] {
        for (const store::EditEntry& entry : why.edits) {
          out.Object([&] { WriteFields(out, entry); });
        }
      });
    }
    if (why.inputs) {
      out.Object("inputs", [&] { WriteInputs(out, *why.inputs, *why.inputs_of); });
    } else {
      out.Field("inputsProblem", why.inputs_problem);
    }
    WriteEntry(out, "next", why.next);
  });
  return out.Take() + "\n";
}

}  // namespace ballast::cli
