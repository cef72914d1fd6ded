#include "store/packing/evaluation_series.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "store/packing/packing.h"

namespace ballast::store {
namespace {

constexpr std::uint64_t kFormat = 1;
// One hour at the default period of 15 s.
constexpr std::int64_t kMaxEvaluations = 240;
constexpr Duration kLongestSeries = Duration::Seconds(2 * 3'600);

class ColumnReader {
 public:
  explicit ColumnReader(std::string_view bytes) : in_(bytes) {}
  bool ok() const { return in_.ok(); }
  std::int64_t Next() { return previous_ = Plus(previous_, in_.Signed()); }
  std::optional<std::int64_t> NextOptional() {
    const auto difference = in_.Optional();
    if (!difference) {
      return std::nullopt;
    }
    return previous_ = Plus(previous_, *difference);
  }

 private:
  PackedInput in_;
  std::int64_t previous_ = 0;
};

struct MetricReader {
  std::string name;
  std::string target;
  ColumnReader values;
  ColumnReader samples;

  Reading Next() {
    Reading reading{name, target, UnpackFigure(values.NextOptional(), target), std::nullopt};
    if (const auto sampled = samples.NextOptional()) {
      reading.sampled = FromMillis(*sampled);
    }
    return reading;
  }
};

}  // namespace

void EvaluationSeries::Column::Put(std::int64_t value) {
  std::string code;
  PutSigned(code, Minus(value, previous_));
  Add(code);
  previous_ = value;
}

void EvaluationSeries::Column::PutOptional(const std::optional<std::int64_t>& value) {
  std::string code;
  store::PutOptional(code, value ? std::optional(Minus(*value, previous_)) : std::nullopt);
  Add(code);
  previous_ = value.value_or(previous_);
}

void EvaluationSeries::Column::Add(std::string_view code) {
  if (code.size() == 1 && repeats_ > 0 && code.front() == repeated_) {
    ++repeats_;
    return;
  }
  bytes_.append(repeats_, repeated_);
  repeats_ = 0;
  if (code.size() == 1) {
    repeated_ = code.front();
    repeats_ = 1;
  } else {
    bytes_ += code;
  }
}

std::string EvaluationSeries::Column::Pack() const {
  return bytes_ + std::string(repeats_, repeated_);
}

SeriesPoint PointOf(const EvaluationRecord& evaluation) {
  return {evaluation.time, evaluation.current_replicas, evaluation.desired_replicas,
          evaluation.reason, evaluation.readings};
}

EvaluationSeries::EvaluationSeries(const SeriesPoint& first) : begin_(first.time) {
  for (const Reading& reading : first.readings) {
    metrics_.push_back({reading.metric, reading.target, {}, {}});
  }
  Append(first);
}

bool EvaluationSeries::Add(const SeriesPoint& next) {
  const bool same = std::ranges::equal(
      metrics_, next.readings, [](const MetricColumns& metric, const Reading& reading) {
        return metric.name == reading.metric && metric.target == reading.target;
      });
  if (!same || evaluations_ >= kMaxEvaluations || next.time < end_ ||
      next.time - begin_ > kLongestSeries) {
    return false;
  }
  Append(next);
  return true;
}

void EvaluationSeries::Append(const SeriesPoint& point) {
  // The pauses between evaluations are nearly equal, so their differences are small.
  pauses_.Put(Minus(Millis(point.time), evaluations_ == 0 ? 0 : Millis(end_)));
  end_ = point.time;
  ++evaluations_;
  reasons_.Put(static_cast<std::int64_t>(reason_names_.IndexOf(point.reason)));
  current_.Put(point.current_replicas);
  desired_.Put(point.desired_replicas);
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    const Reading& reading = point.readings[i];
    metrics_[i].values.PutOptional(PackFigure(reading.milli, reading.target));
    metrics_[i].samples.PutOptional(Millis(reading.sampled));
  }
}

std::string EvaluationSeries::Pack() const {
  std::string out;
  PutVarint(out, kFormat);
  reason_names_.Put(out);
  PutVarint(out, metrics_.size());
  for (const MetricColumns& metric : metrics_) {
    PutText(out, metric.name);
    PutText(out, metric.target);
    PutText(out, metric.values.Pack());
    PutText(out, metric.samples.Pack());
  }
  PutVarint(out, static_cast<std::uint64_t>(evaluations_));
  for (const Column* column : {&pauses_, &reasons_, &current_, &desired_}) {
    PutText(out, column->Pack());
  }
  return out;
}

Result<std::vector<SeriesPoint>> Unpack(std::string_view data) {
  const Error damaged{Code::kCorrupt, "packed evaluations: damaged"};
  PackedInput in(data);
  if (in.Varint() != kFormat) {
    return Error{Code::kCorrupt, "packed evaluations: a format that this version does not know"};
  }
  const std::vector<std::string_view> reasons = in.Texts();
  std::vector<MetricReader> metrics;
  for (std::size_t left = in.Count(); left > 0; --left) {
    std::string name(in.Text());
    std::string target(in.Text());
    const std::string_view values = in.Text();
    metrics.push_back(
        {std::move(name), std::move(target), ColumnReader(values), ColumnReader(in.Text())});
  }
  const std::size_t count = in.Count();
  PackedInput times(in.Text());
  ColumnReader why(in.Text());
  ColumnReader current(in.Text());
  ColumnReader desired(in.Text());
  if (!in.ok() || !in.at_end()) {
    return damaged;
  }
  std::vector<SeriesPoint> points;
  std::int64_t time = 0;
  std::int64_t pause = 0;
  for (std::size_t i = 0; i < count; ++i) {
    pause = Plus(pause, times.Signed());
    time = Plus(time, pause);
    const auto reason = static_cast<std::uint64_t>(why.Next());
    SeriesPoint point{FromMillis(time),
                      static_cast<std::int32_t>(current.Next()),
                      static_cast<std::int32_t>(desired.Next()),
                      "",
                      {}};
    bool sound = times.ok() && why.ok() && current.ok() && desired.ok() && reason < reasons.size();
    for (MetricReader& metric : metrics) {
      point.readings.push_back(metric.Next());
      sound = sound && metric.values.ok() && metric.samples.ok();
    }
    if (!sound) {
      return damaged;
    }
    point.reason = reasons[reason];
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace ballast::store
