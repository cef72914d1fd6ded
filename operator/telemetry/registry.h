// Numbers about the running program, as Prometheus reads them.
//
//   telemetry::Registry registry;
//   const auto requests = registry.Counters("rest_client_requests_total", "Requests sent.",
//                                           {"code", "method"});
//   requests.With({"200", "GET"}).Add();
//   registry.Print();
//
// What With() gives is a handle, cheap to copy, which keeps its number alive. Handles and families
// that no registry made do nothing: what counts need not know whether anybody reads.
// Thread-safety: any thread.
#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ballast::telemetry {

namespace internal {
struct Cell;
struct Family;
std::shared_ptr<Cell> FindCell(Family& family, const std::vector<std::string>& labels);
void Reset(Family& family, const std::map<std::vector<std::string>, double>& values);

class Handle {
 public:
  Handle() = default;
  explicit Handle(std::shared_ptr<Cell> cell) : cell_(std::move(cell)) {}

 protected:
  std::shared_ptr<Cell> cell_;
};
}  // namespace internal

// Only ever grows.
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

// How often a value was at most each of some bounds.
class Histogram : public internal::Handle {
 public:
  using Handle::Handle;
  void Observe(double value) const;
};

// The numbers of one name, by their labels' values.
template <typename Kind>
class Family {
 public:
  Family() = default;
  // As many values as the family has labels, in their order.
  Kind With(const std::vector<std::string>& labels) const {
    return family_ == nullptr ? Kind() : Kind(internal::FindCell(*family_, labels));
  }
  // Exactly these values from now on: what is not among them is printed no more.
  void Reset(const std::map<std::vector<std::string>, double>& values)
      const requires std::same_as<Kind, Gauge> {
    if (family_ != nullptr) {
      internal::Reset(*family_, values);
    }
  }

 private:
  friend class Registry;
  explicit Family(std::shared_ptr<internal::Family> family) : family_(std::move(family)) {}
  std::shared_ptr<internal::Family> family_;
};

enum class TextFormat {
  kPrometheus,   // 0.0.4
  kOpenMetrics,  // 1.0.0
};

class Registry {
 public:
  using Labels = std::vector<std::string>;

  // A name that is there already gives the same family again; ask for it in the same way.
  Family<Counter> Counters(const std::string& name, const std::string& help, Labels labels = {});
  Family<Gauge> Gauges(const std::string& name, const std::string& help, Labels labels = {});
  // `bounds`: rising; the one above all others is implied.
  Family<Histogram> Histograms(const std::string& name, const std::string& help,
                               std::vector<double> bounds, Labels labels = {});

  // Called at the beginning of each Print(): for numbers that are looked up, not counted. What it
  // uses must outlive the last Print().
  void BeforePrint(std::function<void()> look_up);

  // Everything, sorted by name and labels.
  std::string Print(TextFormat format = TextFormat::kPrometheus) const;

 private:
  std::shared_ptr<internal::Family> Add(std::shared_ptr<internal::Family> family);

  mutable std::mutex mutex_;  // guards: families_, look_ups_
  std::map<std::string, std::shared_ptr<internal::Family>> families_;
  std::vector<std::function<void()>> look_ups_;
};

// start, start * factor, ...: `count` bounds.
std::vector<double> ExponentialBounds(double start, double factor, int count);

}  // namespace ballast::telemetry
