// Metrics of the running program in Prometheus' text formats.
//
//   telemetry::Registry registry;
//   const auto requests = registry.Counters("rest_client_requests_total", "Requests sent.",
//                                           {"code", "method"});
//   requests.With({"200", "GET"}).Add();
//   registry.Print();
//
// With() returns a handle, which is cheap to copy and keeps its number alive. Families and handles
// that no registry made do nothing, so that code can count without knowing whether it is observed.
//
// Thread-safety: any thread.
// Errors: none. A wrong number of labels, or a name asked for in two ways, is a defect of the
// caller and fails an assertion.
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ballast::telemetry {

namespace internal {
struct Cell;
struct FamilyCells;
std::shared_ptr<Cell> FindCell(FamilyCells& family, std::initializer_list<std::string_view> labels);
void Reset(FamilyCells& family, const std::map<std::vector<std::string>, double>& values);

class Handle {
 public:
  Handle() = default;
  explicit Handle(std::shared_ptr<Cell> cell) : cell_(std::move(cell)) {}

 protected:
  std::shared_ptr<Cell> cell_;
};
}  // namespace internal

// A number that only grows.
class Counter : public internal::Handle {
 public:
  using Handle::Handle;
  void Add(double count = 1) const;
};

class Gauge : public internal::Handle {
 public:
  using Handle::Handle;
  void Set(double value) const;
  void Add(double difference) const;
};

// Counts values by upper bounds, and sums them up.
class Histogram : public internal::Handle {
 public:
  using Handle::Handle;
  void Observe(double value) const;
};

// The metrics of one name, one for each combination of label values.
template <typename Kind>
class Family {
 public:
  Family() = default;
  // `labels`: one value for each label of the family, in their order.
  Kind With(std::initializer_list<std::string_view> labels) const {
    return family_ == nullptr ? Kind() : Kind(internal::FindCell(*family_, labels));
  }
  // Replaces all values of the family: what is not among them is no longer printed.
  void Reset(const std::map<std::vector<std::string>, double>& values)
      const requires std::same_as<Kind, Gauge> {
    if (family_ != nullptr) {
      internal::Reset(*family_, values);
    }
  }

 private:
  friend class Registry;
  explicit Family(std::shared_ptr<internal::FamilyCells> family) : family_(std::move(family)) {}
  std::shared_ptr<internal::FamilyCells> family_;
};

enum class TextFormat {
  kPrometheus,   // 0.0.4
  kOpenMetrics,  // 1.0.0
};

class Registry {
 public:
  using Labels = std::vector<std::string>;

  // If the name exists already, returns the same family; type, labels and bounds must be the same.
  Family<Counter> Counters(const std::string& name, const std::string& help, Labels labels = {});
  Family<Gauge> Gauges(const std::string& name, const std::string& help, Labels labels = {});
  // `bounds`: ascending; +Inf is implied.
  Family<Histogram> Histograms(const std::string& name, const std::string& help,
                               std::vector<double> bounds, Labels labels = {});

  // Registers a function to call at the beginning of each Print(), for numbers that are looked up
  // rather than counted. What it uses must outlive the last Print().
  void BeforePrint(std::function<void()> look_up);

  // All metrics, sorted by name and labels.
  std::string Print(TextFormat format = TextFormat::kPrometheus) const;

 private:
  std::shared_ptr<internal::FamilyCells> Add(std::shared_ptr<internal::FamilyCells> family);

  mutable std::mutex mutex_;  // guards: families_, look_ups_
  std::map<std::string, std::shared_ptr<internal::FamilyCells>> families_;
  std::vector<std::function<void()>> look_ups_;
};

// `count` bounds: start, start * factor, and so on.
std::vector<double> ExponentialBounds(double start, double factor, int count);

}  // namespace ballast::telemetry
