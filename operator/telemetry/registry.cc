#include "operator/telemetry/registry.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ballast::telemetry {

namespace internal {

struct Cell {
  explicit Cell(const std::vector<double>& limits)
      : bounds(limits), counts(limits.empty() ? 0 : limits.size() + 1) {}
  const std::vector<double> bounds;                // of a histogram
  std::vector<std::atomic<std::uint64_t>> counts;  // by bound; the last is above all bounds
  std::atomic<double> value = 0;                   // of a histogram: the sum
};

// Compares label values, also with those of a caller that need not be copied to be found.
struct LabelsLess {
  using is_transparent = void;
  template <typename A, typename B>
  bool operator()(const A& a, const B& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }
};
using Cells = std::map<std::vector<std::string>, std::shared_ptr<Cell>, LabelsLess>;

struct FamilyCells {
  FamilyCells(std::string is_name, std::string is_help, const char* is_type,
              std::vector<std::string> has_labels, std::vector<double> has_bounds = {})
      : name(std::move(is_name)),
        help(std::move(is_help)),
        type(is_type),
        labels(std::move(has_labels)),
        bounds(std::move(has_bounds)) {}
  const std::string name;
  const std::string help;
  const std::string_view type;
  const std::vector<std::string> labels;
  const std::vector<double> bounds;
  std::mutex mutex;  // guards: cells
  Cells cells;
};

std::shared_ptr<Cell> FindCell(FamilyCells& family,
                               std::initializer_list<std::string_view> labels) {
  assert(labels.size() == family.labels.size());
  const std::lock_guard lock(family.mutex);
  if (const auto known = family.cells.find(labels); known != family.cells.end()) {
    return known->second;
  }
  auto cell = std::make_shared<Cell>(family.bounds);
  family.cells.emplace(std::vector<std::string>(labels.begin(), labels.end()), cell);
  return cell;
}

void Reset(FamilyCells& family, const std::map<std::vector<std::string>, double>& values) {
  Cells cells;
  for (const auto& [labels, value] : values) {
    assert(labels.size() == family.labels.size());
    const auto& cell = cells[labels] = std::make_shared<Cell>(family.bounds);
    cell->value = value;
  }
  const std::lock_guard lock(family.mutex);
  family.cells = std::move(cells);
}

}  // namespace internal

namespace {

std::string PrintNumber(double number) {
  if (std::isnan(number)) {
    return "NaN";
  }
  if (std::isinf(number)) {
    return number > 0 ? "+Inf" : "-Inf";
  }
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return {digits.data(), end};
}

std::string Escape(std::string_view text, bool quotes) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\n') {
      escaped += "\\n";
    } else {
      if (c == '\\' || (quotes && c == '"')) {
        escaped += '\\';
      }
      escaped += c;
    }
  }
  return escaped;
}

// `{code="200",method="GET"}`; empty without labels.
std::string PrintLabels(const std::vector<std::string>& names,
                        const std::vector<std::string>& values, const std::string& bound = "") {
  std::string text;
  const auto add = [&text](const std::string& name, const std::string& value) {
    text += (text.empty() ? "{" : ",") + name + "=\"" + Escape(value, true) + '"';
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    add(names[i], values[i]);
  }
  if (!bound.empty()) {
    add("le", bound);
  }
  return text.empty() ? text : text + '}';
}

// OpenMetrics requires bounds to be written as floats.
std::string PrintBound(double bound, TextFormat format) {
  std::string text = PrintNumber(bound);
  const bool whole = text.find_first_not_of("0123456789") == std::string::npos;
  return format == TextFormat::kOpenMetrics && whole ? text + ".0" : text;
}

void PrintHead(const internal::FamilyCells& family, TextFormat format, std::string& out) {
  const bool open = format == TextFormat::kOpenMetrics;
  std::string_view name = family.name;
  if (open && family.type == "counter" && name.ends_with("_total")) {
    name.remove_suffix(std::string_view("_total").size());  // only the sample's name has it
  }
  out.append("# HELP ").append(name).append(" ").append(Escape(family.help, open));
  out.append("\n# TYPE ").append(name).append(" ").append(family.type).append("\n");
}

void PrintCell(const internal::FamilyCells& family, const std::vector<std::string>& labels,
               const internal::Cell& cell, TextFormat format, std::string& out) {
  const auto line = [&](std::string_view suffix, const std::string& bound, double value) {
    out.append(family.name).append(suffix).append(PrintLabels(family.labels, labels, bound));
    out.append(" ").append(PrintNumber(value)).append("\n");
  };
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < cell.counts.size(); ++i) {
    count += cell.counts[i];
    line("_bucket", i < cell.bounds.size() ? PrintBound(cell.bounds[i], format) : "+Inf",
         static_cast<double>(count));
  }
  if (cell.counts.empty()) {
    line("", "", cell.value);
  } else {
    line("_sum", "", cell.value);
    line("_count", "", static_cast<double>(count));
  }
}

}  // namespace

void Counter::Add(double count) const {
  if (cell_ != nullptr) {
    cell_->value += count;
  }
}

void Gauge::Set(double value) const {
  if (cell_ != nullptr) {
    cell_->value = value;
  }
}

void Gauge::Add(double difference) const {
  if (cell_ != nullptr) {
    cell_->value += difference;
  }
}

void Histogram::Observe(double value) const {
  if (cell_ != nullptr) {
    const auto bound = std::lower_bound(cell_->bounds.begin(), cell_->bounds.end(), value);
    ++cell_->counts[static_cast<std::size_t>(bound - cell_->bounds.begin())];
    cell_->value += value;
  }
}

Family<Counter> Registry::Counters(const std::string& name, const std::string& help,
                                   Labels labels) {
  return Family<Counter>(
      Add(std::make_shared<internal::FamilyCells>(name, help, "counter", std::move(labels))));
}

Family<Gauge> Registry::Gauges(const std::string& name, const std::string& help, Labels labels) {
  return Family<Gauge>(
      Add(std::make_shared<internal::FamilyCells>(name, help, "gauge", std::move(labels))));
}

Family<Histogram> Registry::Histograms(const std::string& name, const std::string& help,
                                       std::vector<double> bounds, Labels labels) {
  return Family<Histogram>(Add(std::make_shared<internal::FamilyCells>(
      name, help, "histogram", std::move(labels), std::move(bounds))));
}

std::shared_ptr<internal::FamilyCells> Registry::Add(
    std::shared_ptr<internal::FamilyCells> family) {
  const std::lock_guard lock(mutex_);
  const auto& known = families_.emplace(family->name, family).first->second;
  assert(known->type == family->type && known->labels == family->labels &&
         known->bounds == family->bounds);
  return known;
}

void Registry::BeforePrint(std::function<void()> look_up) {
  const std::lock_guard lock(mutex_);
  look_ups_.push_back(std::move(look_up));
}

std::string Registry::Print(TextFormat format) const {
  std::unique_lock lock(mutex_);
  const auto look_ups = look_ups_;
  lock.unlock();
  for (const auto& look_up : look_ups) {
    look_up();  // it may add families
  }
  lock.lock();
  std::string out;
  for (const auto& [name, family] : families_) {
    const std::lock_guard family_lock(family->mutex);
    if (family->cells.empty()) {
      continue;
    }
    PrintHead(*family, format, out);
    for (const auto& [labels, cell] : family->cells) {
      PrintCell(*family, labels, *cell, format, out);
    }
  }
  return format == TextFormat::kOpenMetrics ? out + "# EOF\n" : out;
}

std::vector<double> ExponentialBounds(double start, double factor, int count) {
  std::vector<double> bounds;
  for (double bound = start; count > 0; --count, bound *= factor) {
    bounds.push_back(bound);
  }
  return bounds;
}

}  // namespace ballast::telemetry
