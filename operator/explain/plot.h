// What an autoscaler did over some time, as columns of equal length, for a picture: replicas, the
// desired count, each metric against its target, limits, what held the count, and events.
//
//   ASSIGN_OR_RETURN(const auto plot, MakePlot(*history, query, 60));
//
// The memory that it takes depends on the columns, not on the length of the history, which is read
// as a stream.
//
// Thread-safety: plain values; MakePlot: one thread at a time, as the History.
// Errors: the History's; kNotFound: nothing is recorded in that time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/history.h"

namespace ballast::explain {

// The lowest and the highest value.
struct PlotRange {
  double low = 0;
  double high = 0;
  friend bool operator==(const PlotRange&, const PlotRange&) = default;
};
void Widen(std::optional<PlotRange>& range, double value);

enum class PlotEventKind { kScaledOut, kScaledIn, kNotWritten, kDryRun, kByOthers, kEdited };
inline constexpr std::size_t kPlotEventKinds = 6;

struct PlotEvent {
  PlotEventKind kind = PlotEventKind::kScaledOut;
  Time time;
  std::int32_t from = 0;  // of an edit: 0, as `to`
  std::int32_t to = 0;
  std::string text;  // why, or by whom
};

// What a column has at most.
inline constexpr std::size_t kPlotColumnHolds = 4;
inline constexpr std::size_t kPlotColumnEvents = 8;

struct PlotColumn {
  std::optional<PlotRange> replicas;  // absent: nothing was evaluated
  std::optional<PlotRange> desired;
  std::optional<PlotRange> limits;  // minReplicas and maxReplicas; absent: not known
  // By metric, as Plot::metrics. A metric may be missing at the end; its value is absent then.
  std::vector<std::optional<PlotRange>> values;
  std::vector<std::optional<double>> targets;            // the last one in the column
  std::vector<std::string> holds;                        // the reasons that held the count
  std::string message;                                   // of the first decision
  std::vector<PlotEvent> events;                         // the first ones, oldest first
  std::array<std::size_t, kPlotEventKinds> counts = {};  // of all events, by kind
};

struct PlotMetric {
  std::string name;    // as in records: "Resource/cpu"
  std::string target;  // the type of its target; of "Utilization" values are in percent
  friend bool operator==(const PlotMetric&, const PlotMetric&) = default;
};

struct Plot {
  store::Subject subject;
  Time from;
  Duration width;            // of a column, over zero
  std::optional<Time> left;  // when the history began, if the query has no begin and that is before
  std::vector<PlotMetric> metrics;
  std::vector<PlotColumn> columns;

  Time to() const {
    return from + Duration{width.nanoseconds * static_cast<std::int64_t>(columns.size())};
  }
};

// How far back a plot goes from the last evaluation if the query does not say.
inline constexpr Duration kPlotSpan = Duration::Seconds(std::int64_t{24} * 3600);

// `query` must have a key, and a kind if autoscalers of both have that name. `columns` > 0.
Result<Plot> MakePlot(store::History& history, const store::HistoryQuery& query,
                      std::size_t columns);

}  // namespace ballast::explain
