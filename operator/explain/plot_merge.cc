#include "operator/explain/plot_merge.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ballast::explain {
namespace {

void Widen(std::optional<PlotRange>& range, const std::optional<PlotRange>& by) {
  if (by) {
    explain::Widen(range, by->low);
    explain::Widen(range, by->high);
  }
}

bool IsSame(const PlotEvent& one, const PlotEvent& other) {
  return one.kind == other.kind && one.time == other.time && one.from == other.from &&
         one.to == other.to && one.text == other.text;
}

void AddEvents(const PlotColumn& from, PlotColumn& to) {
  for (std::size_t kind = 0; kind < kPlotEventKinds; ++kind) {
    to.counts[kind] += from.counts[kind];
  }
  for (const PlotEvent& event : from.events) {
    const bool known =
        std::ranges::any_of(to.events, [&](const PlotEvent& one) { return IsSame(one, event); });
    if (known) {
      --to.counts[static_cast<std::size_t>(event.kind)];
    } else {
      to.events.push_back(event);
    }
  }
  std::ranges::stable_sort(to.events, {}, &PlotEvent::time);
  to.events.resize(std::min(to.events.size(), kPlotColumnEvents));
}

void AddHolds(const PlotColumn& from, PlotColumn& to) {
  for (const std::string& hold : from.holds) {
    if (to.holds.size() < kPlotColumnHolds && std::ranges::find(to.holds, hold) == to.holds.end()) {
      to.holds.push_back(hold);
    }
  }
}

// `place[i]`: where the metrics of `to` have the metric i of `from`.
void Add(const PlotColumn& from, const std::vector<std::size_t>& place, PlotColumn& to) {
  Widen(to.replicas, from.replicas);
  Widen(to.desired, from.desired);
  Widen(to.limits, from.limits);
  for (std::size_t i = 0; i < from.values.size(); ++i) {
    to.values.resize(std::max(to.values.size(), place[i] + 1));
    Widen(to.values[place[i]], from.values[i]);
  }
  for (std::size_t i = 0; i < from.targets.size(); ++i) {
    to.targets.resize(std::max(to.targets.size(), place[i] + 1));
    to.targets[place[i]] = from.targets[i] ? from.targets[i] : to.targets[place[i]];
  }
  AddHolds(from, to);
  if (to.message.empty()) {
    to.message = from.message;
  }
  AddEvents(from, to);
}

// Where `all` has each of them; it gets those that it lacks.
std::vector<std::size_t> PlaceIn(std::vector<PlotMetric>& all,
                                 const std::vector<PlotMetric>& metrics) {
  std::vector<std::size_t> places;
  for (const PlotMetric& metric : metrics) {
    const auto found = std::ranges::find(all, metric);
    places.push_back(static_cast<std::size_t>(found - all.begin()));
    if (found == all.end()) {
      all.push_back(metric);
    }
  }
  return places;
}

}  // namespace

PlotFrame FrameOf(const std::vector<Plot>& plots, bool since) {
  PlotFrame frame{plots.front().from, plots.front().to(), {}};
  Time begin = frame.from;  // of the history
  for (const Plot& plot : plots) {
    begin = std::min(begin, plot.left.value_or(plot.from));
    frame.from = std::min(frame.from, plot.from);
    frame.to = std::max(frame.to, plot.to());
  }
  if (!since) {
    frame.from = std::max(frame.from, frame.to - kPlotSpan);
    frame.left = begin < frame.from ? std::optional(begin) : std::nullopt;
  }
  return frame;
}

Plot MergePlots(std::vector<Plot> plots) {
  Plot merged = std::move(plots.front());
  for (std::size_t i = 1; i < plots.size(); ++i) {
    const std::vector<std::size_t> places = PlaceIn(merged.metrics, plots[i].metrics);
    for (std::size_t c = 0; c < merged.columns.size(); ++c) {
      Add(plots[i].columns[c], places, merged.columns[c]);
    }
  }
  return merged;
}

}  // namespace ballast::explain
