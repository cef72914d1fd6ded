// Consecutive evaluations of one autoscaler, packed into a few bytes each: when, from how many
// replicas to how many, why, and each metric's value.
//
//   EvaluationSeries series(first);
//   while (series.Add(next)) ...             // false: begin another series with `next`
//   const std::string data = series.Pack();  // at any time; the series can still grow
//   const auto points = Unpack(data);
//
// Times are in milliseconds, Utilization in whole percents.
//
// Thread-safety: none; one thread at a time.
// Errors: Unpack: kCorrupt; the others none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"
#include "store/packing/packing.h"
#include "store/records.h"

namespace ballast::store {

struct SeriesPoint {
  Time time;
  std::int32_t current_replicas = 0;
  std::int32_t desired_replicas = 0;
  std::string reason;
  std::vector<Reading> readings;
  friend bool operator==(const SeriesPoint&, const SeriesPoint&) = default;
};

SeriesPoint PointOf(const EvaluationRecord& evaluation);

class EvaluationSeries {
 public:
  explicit EvaluationSeries(const SeriesPoint& first);

  // False: nothing was added, because the series is full (240 evaluations or two hours, so that
  // what is evaluated rarely does not stay in memory for long), the metrics have changed, or `next`
  // is earlier than the last one.
  bool Add(const SeriesPoint& next);

  Time begin() const { return begin_; }
  Time end() const { return end_; }
  std::int64_t evaluations() const { return evaluations_; }
  std::string Pack() const;

 private:
  // Numbers of one kind, each as its difference from the previous one.
  class Column {
   public:
    void Put(std::int64_t value);
    void PutOptional(const std::optional<std::int64_t>& value);
    std::string Pack() const;

   private:
    void Add(std::string_view code);

    // The last bytes are mostly the same one, such as that of a number that stays as it is, and are
    // only counted: there are thousands of series.
    std::string bytes_;
    char repeated_ = 0;
    std::uint32_t repeats_ = 0;
    std::int64_t previous_ = 0;
  };
  struct MetricColumns {
    std::string name;
    std::string target;
    Column values;
    Column samples;
  };

  void Append(const SeriesPoint& point);

  Time begin_;
  Time end_;
  std::int64_t evaluations_ = 0;
  Column pauses_;  // between evaluations; the first one is since 1970
  Column reasons_;
  Column current_;
  Column desired_;
  PackedTexts reason_names_;
  std::vector<MetricColumns> metrics_;
};

// kCorrupt: `data` is damaged or has an unknown format.
Result<std::vector<SeriesPoint>> Unpack(std::string_view data);

}  // namespace ballast::store
