#include "operator/cli/ledger/plot_words.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace ballast::cli {
namespace {

using explain::Plot;
using explain::PlotColumn;
using explain::PlotMetric;
using explain::PlotRange;

void Include(std::optional<PlotRange>& all, const std::optional<PlotRange>& range) {
  if (range) {
    explain::Widen(all, range->low);
    explain::Widen(all, range->high);
  }
}

// In seconds: the least of round steps that is `space` or more.
std::int64_t RoundStep(Duration space) {
  constexpr std::array<std::int64_t, 20> kSteps = {1,     2,     5,     10,    15,     30,    60,
                                                   120,   300,   600,   900,   1800,   3600,  7200,
                                                   10800, 21600, 43200, 86400, 172800, 604800};
  for (const std::int64_t seconds : kSteps) {
    if (Duration::Seconds(seconds) >= space) {
      return seconds;
    }
  }
  std::int64_t step = kSteps.back();
  while (Duration::Seconds(step) < space) {
    step *= 2;
  }
  return step;
}

std::string TickLabel(const Plot& plot, Zone zone, Time time, std::int64_t step) {
  const std::string whole = PrintIn(zone, time);  // "2026-03-04 12:00:00"
  if (PrintIn(zone, plot.from).substr(0, 10) != PrintIn(zone, plot.to()).substr(0, 10)) {
    return whole.substr(5, 11);
  }
  return step < 60 ? whole.substr(11) : whole.substr(11, 5);
}

// Over all columns; absent: there is none.
std::optional<PlotRange> ReplicasOf(const Plot& plot) {
  std::optional<PlotRange> all;
  for (const PlotColumn& column : plot.columns) {
    Include(all, column.replicas);
    Include(all, column.desired);
  }
  return all;
}

std::optional<PlotRange> ValuesOf(const Plot& plot, std::size_t metric) {
  std::optional<PlotRange> all;
  for (const PlotColumn& column : plot.columns) {
    if (metric < column.values.size()) {
      Include(all, column.values[metric]);
    }
  }
  return all;
}

}  // namespace

std::string FigureText(double value, const PlotMetric* metric) {
  const bool percent = metric != nullptr && metric->target == "Utilization";
  constexpr std::array<std::string_view, 5> kSuffixes = {"", "k", "M", "G", "T"};
  std::size_t suffix = 0;
  // Three digits of 999.5 and more have a fourth.
  for (; std::abs(value) >= 999.5 && suffix + 1 < kSuffixes.size(); ++suffix) {
    value /= 1000;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return std::string(text.data()) + std::string(kSuffixes[suffix]) + (percent ? "%" : "");
}

std::string RangeText(const PlotRange& range, const PlotMetric* metric) {
  const std::string low = FigureText(range.low, metric);
  const std::string high = FigureText(range.high, metric);
  return low == high ? low : low + " to " + high;
}

std::optional<PlotRange> TargetsOf(const Plot& plot, std::size_t metric) {
  std::optional<PlotRange> all;
  for (const PlotColumn& column : plot.columns) {
    if (metric < column.targets.size() && column.targets[metric]) {
      explain::Widen(all, *column.targets[metric]);
    }
  }
  return all;
}

std::optional<PlotRange> LastLimits(const Plot& plot) {
  const auto last =
      std::find_if(plot.columns.rbegin(), plot.columns.rend(),
                   [](const PlotColumn& column) { return column.limits.has_value(); });
  return last == plot.columns.rend() ? std::nullopt : last->limits;
}

double TopOfReplicas(const Plot& plot) {
  const auto replicas = ReplicasOf(plot);
  const double highest = std::max(1.0, replicas ? replicas->high : 0);
  double top = highest;
  for (const PlotColumn& column : plot.columns) {
    if (column.limits && column.limits->high <= 1.5 * highest) {
      top = std::max(top, column.limits->high);
    }
  }
  return top;
}

double TopOfMetric(const Plot& plot, std::size_t metric) {
  std::optional<PlotRange> all = ValuesOf(plot, metric);
  Include(all, TargetsOf(plot, metric));
  return all && all->high > 0 ? all->high : 1;
}

std::string MetricTitle(const Plot& plot, std::size_t metric) {
  const PlotMetric& shown = plot.metrics[metric];
  const auto values = ValuesOf(plot, metric);
  const auto targets = TargetsOf(plot, metric);
  return shown.name + ": " + (values ? RangeText(*values, &shown) : "no value") +
         (targets ? ", target " + RangeText(*targets, &shown) : "");
}

std::vector<std::string> HoldsOf(const Plot& plot) {
  std::vector<std::string> holds;
  for (const PlotColumn& column : plot.columns) {
    for (const std::string& hold : column.holds) {
      if (std::ranges::find(holds, hold) == holds.end()) {
        holds.push_back(hold);
      }
    }
  }
  return holds;
}

std::vector<PlotTick> TicksOf(const Plot& plot, Zone zone, std::size_t space) {
  const std::int64_t step =
      RoundStep(Duration{plot.width.nanoseconds * static_cast<std::int64_t>(space)});
  const std::int64_t offset = OffsetOf(zone, plot.from).nanoseconds / 1'000'000'000;
  std::vector<PlotTick> ticks;
  std::int64_t at = (plot.from.unix_seconds() + offset) / step * step - offset;
  for (; Time(at, 0) < plot.to(); at += step) {
    const Time time(at, 0);
    if (time >= plot.from) {
      ticks.push_back(
          {static_cast<std::size_t>((time - plot.from).nanoseconds / plot.width.nanoseconds),
           TickLabel(plot, zone, time, step)});
    }
  }
  return ticks;
}

std::array<std::size_t, explain::kPlotEventKinds> CountEvents(const Plot& plot) {
  std::array<std::size_t, explain::kPlotEventKinds> counts = {};
  for (const PlotColumn& column : plot.columns) {
    for (std::size_t kind = 0; kind < counts.size(); ++kind) {
      counts[kind] += column.counts[kind];
    }
  }
  return counts;
}

const char* NameOf(explain::PlotEventKind kind) {
  switch (kind) {
    case explain::PlotEventKind::kScaledOut:
      return "scaled out";
    case explain::PlotEventKind::kScaledIn:
      return "scaled in";
    case explain::PlotEventKind::kNotWritten:
      return "not written";
    case explain::PlotEventKind::kDryRun:
      return "dry run";
    case explain::PlotEventKind::kByOthers:
      return "scaled by others";
    case explain::PlotEventKind::kEdited:
      return "edited";
  }
  return "";
}

}  // namespace ballast::cli
