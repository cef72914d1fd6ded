#include "operator/explain/plot.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "api/autoscaling/condition_types.h"
#include "api/decision/snapshot_json.h"
#include "operator/engine/effective.h"
#include "operator/engine/metric/metric.h"
#include "operator/explain/deleted.h"

namespace ballast::explain {
namespace {

// A plot of a single evaluation is that long.
constexpr Duration kShortest = Duration::Seconds(60);

// Whether the reason says that nothing holds the count. Of an observed HPA a run has nothing else.
bool IsFree(const std::string& reason) {
  constexpr std::array<std::string_view, 5> kFree = {
      "", api::kReadyForNewScale, api::kSucceededRescale, api::kSucceededGetScale,
      api::kDesiredWithinRange};
  return std::ranges::find(kFree, reason) != kFree.end();
}

void AddHold(const std::string& reason, std::vector<std::string>& holds) {
  if (!IsFree(reason) && holds.size() < kPlotColumnHolds &&
      std::ranges::find(holds, reason) == holds.end()) {
    holds.push_back(reason);
  }
}

// In the unit of the metric: percent, or what its quantity counts.
std::optional<double> TargetValue(const api::MetricTarget& target) {
  if (target.average_utilization) {
    return *target.average_utilization;
  }
  if (target.average_value) {
    return target.average_value->ToDouble();
  }
  return target.value ? std::optional(target.value->ToDouble()) : std::nullopt;
}

// What the spec of a decision says.
struct Terms {
  std::optional<PlotRange> limits;
  std::vector<std::pair<PlotMetric, double>> targets;
};

Terms TermsOf(const engine::Snapshot& snapshot) {
  const engine::Bounds bounds = engine::EffectiveBounds(snapshot);
  Terms terms{PlotRange{static_cast<double>(bounds.min), static_cast<double>(bounds.max)}, {}};
  for (const api::MetricSpec& metric : snapshot.autoscaler.spec.metrics) {
    const api::MetricTarget* target = engine::TargetOf(metric);
    const auto value = target == nullptr ? std::nullopt : TargetValue(*target);
    if (value) {
      terms.targets.emplace_back(PlotMetric{engine::IdentityOf(metric), target->type}, *value);
    }
  }
  return terms;
}

PlotEventKind KindOf(const store::Entry& entry) {
  switch (entry.disposition) {
    case store::Disposition::kWritten:
    case store::Disposition::kObserved:
      return entry.desired_replicas > entry.current_replicas ? PlotEventKind::kScaledOut
                                                             : PlotEventKind::kScaledIn;
    case store::Disposition::kNone:
    case store::Disposition::kDryRun:
      return PlotEventKind::kDryRun;
    case store::Disposition::kIntended:
    case store::Disposition::kFailed:
    case store::Disposition::kUnknown:
      return PlotEventKind::kNotWritten;
  }
  return PlotEventKind::kNotWritten;
}

// Distributes records over the columns. They may come in any order, but those of one autoscaler
// oldest first.
class Filler {
 public:
  explicit Filler(Plot& plot) : plot_(plot) {}

  void Add(const store::Entry& entry, const store::Documents& documents);
  void Add(const store::Subject& subject, const store::SeriesPoint& point);
  void Add(PlotEvent event);
  // Ends the autoscaler that was added last.
  void End();
  // After all records.
  void Finish();

 private:
  // Calls `fill(column)` for those that `from` to before `to` touches; at least that of `from`.
  template <typename Fill>
  void Cover(Time from, Time to, Fill fill);
  void CoverRun(Time to);
  void CoverPoint(Time to);
  std::size_t IndexOf(const std::string& name, const std::string& target);
  std::size_t IndexOf(const PlotColumn& column) const {
    return static_cast<std::size_t>(&column - plot_.columns.data());
  }

  Plot& plot_;
  // By column: the holds of runs, and whether there are evaluations one by one. These know better,
  // because the reasons within a run may alternate.
  std::vector<std::vector<std::string>> run_holds_{plot_.columns.size()};
  std::vector<bool> detailed_ = std::vector<bool>(plot_.columns.size());
  Duration period_ = Duration::Seconds(15);
  // The last one so far: the next one ends it.
  std::optional<store::Entry> entry_;
  Terms terms_;
  std::string uid_;
  std::optional<store::SeriesPoint> point_;
};

template <typename Fill>
void Filler::Cover(Time from, Time to, Fill fill) {
  if (to < plot_.from || from >= plot_.to()) {
    return;
  }
  const auto column = [&](Time time) {
    return static_cast<std::size_t>((time - plot_.from).nanoseconds / plot_.width.nanoseconds);
  };
  const std::size_t first = from <= plot_.from ? 0 : column(from);
  const Time last = std::max(from, to - Duration{1});
  const std::size_t end =
      last >= plot_.to() ? plot_.columns.size() : column(std::max(last, plot_.from)) + 1;
  for (std::size_t i = first; i < end; ++i) {
    fill(plot_.columns[i]);
  }
}

std::size_t Filler::IndexOf(const std::string& name, const std::string& target) {
  const auto found = std::ranges::find_if(plot_.metrics, [&](const PlotMetric& metric) {
    return metric.name == name && metric.target == target;
  });
  if (found == plot_.metrics.end()) {
    plot_.metrics.push_back({name, target});
    return plot_.metrics.size() - 1;
  }
  return static_cast<std::size_t>(found - plot_.metrics.begin());
}

void Filler::CoverRun(Time to) {
  const store::Entry& entry = *entry_;
  const std::int32_t held =
      store::Changed(entry.disposition) ? entry.desired_replicas : entry.current_replicas;
  std::vector<std::pair<std::size_t, double>> targets;
  for (const auto& [metric, value] : terms_.targets) {
    targets.emplace_back(IndexOf(metric.name, metric.target), value);
  }
  Cover(entry.time, std::min(to, entry.known_until()), [&](PlotColumn& column) {
    Widen(column.replicas, held);
    Widen(column.desired, entry.desired_replicas);
    if (terms_.limits) {
      Widen(column.limits, terms_.limits->low);
      Widen(column.limits, terms_.limits->high);
    }
    for (const auto& [metric, value] : targets) {
      column.targets.resize(std::max(column.targets.size(), metric + 1));
      column.targets[metric] = value;
    }
    if (column.message.empty()) {
      column.message = entry.message;
    }
    AddHold(entry.reason, run_holds_[IndexOf(column)]);
  });
}

void Filler::CoverPoint(Time to) {
  const Time known = point_->time + period_ + period_;
  Cover(point_->time, std::min(to, known), [&](PlotColumn& column) {
    detailed_[IndexOf(column)] = true;
    AddHold(point_->reason, column.holds);
  });
  for (const store::Reading& reading : point_->readings) {
    if (!reading.milli) {
      continue;
    }
    const std::size_t metric = IndexOf(reading.metric, reading.target);
    const double value = static_cast<double>(*reading.milli) / 1000;
    Cover(point_->time, std::min(to, known), [&](PlotColumn& column) {
      column.values.resize(std::max(column.values.size(), metric + 1));
      Widen(column.values[metric], value);
    });
  }
}

void Filler::Add(const store::Entry& entry, const store::Documents& documents) {
  if (entry_ && entry_->subject.uid != entry.subject.uid) {
    End();
  }
  if (entry_) {
    CoverRun(entry.time);
  }
  // Without a readable snapshot the terms are taken to be those of the decision before.
  if (const auto snapshot = engine::ParseSnapshot(documents.snapshot); snapshot.ok()) {
    terms_ = TermsOf(*snapshot);
  }
  if (entry.period > Duration()) {
    period_ = std::max(period_, entry.period);
  }
  if (entry.changes()) {
    Add(PlotEvent{KindOf(entry), entry.time, entry.current_replicas, entry.desired_replicas,
                  entry.reason + (entry.message.empty() ? "" : ": " + entry.message) +
                      (entry.error.empty() ? "" : ": " + entry.error)});
  }
  entry_ = entry;
}

void Filler::Add(const store::Subject& subject, const store::SeriesPoint& point) {
  if (point_ && uid_ == subject.uid) {
    CoverPoint(point.time);
  } else {
    End();
  }
  uid_ = subject.uid;
  point_ = point;
}

void Filler::Add(PlotEvent event) {
  if (event.time < plot_.from || event.time >= plot_.to()) {
    return;
  }
  Cover(event.time, event.time, [&](PlotColumn& column) {
    ++column.counts[static_cast<std::size_t>(event.kind)];
    if (column.events.size() < kPlotColumnEvents) {
      column.events.push_back(event);
    }
  });
}

void Filler::End() {
  if (entry_) {
    CoverRun(plot_.to());
    entry_.reset();
    terms_ = {};
  }
  if (point_) {
    CoverPoint(plot_.to());
    point_.reset();
  }
}

void Filler::Finish() {
  End();
  for (PlotColumn& column : plot_.columns) {
    if (!detailed_[IndexOf(column)]) {
      column.holds = std::move(run_holds_[IndexOf(column)]);
    }
    // The evaluation that notices a change or follows an edit may have the same time: it is later.
    std::ranges::stable_sort(column.events, {}, [](const PlotEvent& event) {
      return std::pair(event.time, event.kind != PlotEventKind::kByOthers &&
                                       event.kind != PlotEventKind::kEdited);
    });
  }
}

Status AddOthers(store::History& history, const store::HistoryQuery& query, Filler& filler) {
  ASSIGN_OR_RETURN(const auto changes, history.ForeignChanges(query));
  for (const auto& [subject, change, ledger] : changes) {
    filler.Add(PlotEvent{PlotEventKind::kByOthers, change.time, change.from, change.to,
                         change.manager.empty() ? "another client" : change.manager});
  }
  ASSIGN_OR_RETURN(const auto edits, history.Edits(query));
  for (const auto& [subject, edit, decision, ledger] : edits) {
    filler.Add(PlotEvent{PlotEventKind::kEdited, edit.time, 0, 0,
                         edit.field + (edit.manager.empty() ? "" : " by " + edit.manager)});
  }
  return Done{};
}

}  // namespace

void Widen(std::optional<PlotRange>& range, double value) {
  range = range ? PlotRange{std::min(range->low, value), std::max(range->high, value)}
                : PlotRange{value, value};
}

Result<Plot> MakePlot(store::History& history, const store::HistoryQuery& query,
                      std::size_t columns) {
  ASSIGN_OR_RETURN(const auto extent, history.ExtentOf(query));
  if (!extent) {
    ASSIGN_OR_RETURN(const std::string deleted, DescribeDeleted(history, query));
    return Error{Code::kNotFound, "nothing is recorded in this time" + deleted};
  }
  Plot plot;
  plot.subject = extent->subject;
  // The last evaluation belongs to the plot.
  const Time to = query.until.value_or(extent->until + Duration::Milliseconds(1));
  plot.from = query.since.value_or(std::max(extent->from, to - kPlotSpan));
  if (!query.since && plot.from > extent->from) {
    plot.left = extent->from;
  }
  const auto count = static_cast<std::int64_t>(columns);
  const std::int64_t span = std::max((to - plot.from).nanoseconds, kShortest.nanoseconds);
  plot.width = Duration{span / count + (span % count == 0 ? 0 : 1)};
  plot.columns.resize(columns);

  store::HistoryQuery within = query;
  within.since = plot.from;
  within.until = plot.to();
  Filler filler(plot);
  TRY(history.ForEach(within, [&](const store::FullEntry& decision) -> Status {
    filler.Add(decision.entry, decision.documents);
    return Done{};
  }));
  filler.End();
  TRY(history.ForEachEvaluation(
      within, [&](const store::Subject& subject, const store::SeriesPoint& point) -> Status {
        filler.Add(subject, point);
        return Done{};
      }));
  TRY(AddOthers(history, within, filler));
  filler.Finish();
  return plot;
}

}  // namespace ballast::explain
