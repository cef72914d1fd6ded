#include "operator/cli/ledger/plot_html.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/printable.h"
#include "api/base/rough.h"
#include "operator/cli/ledger/plot_words.h"

namespace ballast::cli {
namespace {

using explain::Plot;
using explain::PlotColumn;
using explain::PlotEvent;
using explain::PlotRange;

// In pixels.
constexpr double kLeft = 70;
constexpr double kWidth = 960;
constexpr double kReplicasHeight = 180;
constexpr double kMetricHeight = 110;
constexpr double kTitleHeight = 26;
constexpr double kStripHeight = 16;
constexpr double kAxisHeight = 34;
constexpr std::size_t kHoldColors = 6;

constexpr char kStyle[] = R"css(
:root { color-scheme: light dark; --ink: #222; --faint: #999; --paper: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --faint: #777; --paper: #181818; } }
body { font: 14px system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 24px; }
h1 { font-size: 20px; margin: 0; }
svg { width: 100%; max-width: 1060px; height: auto; }
text { fill: var(--ink); font-size: 12px; }
.label { text-anchor: end; }
.tick { text-anchor: middle; }
.axis { stroke: var(--faint); }
.bar { fill: #4a90d9; shape-rendering: crispEdges; }
.between { fill: #4a90d9; fill-opacity: 0.4; shape-rendering: crispEdges; }
.metric .bar, .metric .between { fill: #3f9c6b; }
.desired { fill: none; stroke: #d9822b; stroke-width: 1.5; }
.line { fill: none; stroke: #c23030; stroke-dasharray: 5 3; }
.none { fill: var(--faint); fill-opacity: 0.15; }
.hold0 { fill: #8e6bbf; } .hold1 { fill: #d9a62b; } .hold2 { fill: #5aa9a9; }
.hold3 { fill: #b85c8a; } .hold4 { fill: #7d8c3b; } .hold5 { fill: #8a8a8a; }
.column { fill: transparent; }
.column:hover { fill: var(--ink); fill-opacity: 0.15; }
table { border-collapse: collapse; margin-top: 12px; }
th, td { text-align: left; padding: 2px 16px 2px 0; vertical-align: top; }
)css";

// Text from the records as text of the page.
std::string Escape(std::string_view text) {
  std::string escaped;
  for (const char c : Printable(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

// A coordinate.
std::string At(double pixels) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", pixels);
  return text.data();
}

const char* GlyphOf(explain::PlotEventKind kind) {
  constexpr std::array<const char*, explain::kPlotEventKinds> kGlyphs = {"▲", "▼", "!",
                                                                         "~", "x", "e"};
  return kGlyphs[static_cast<std::size_t>(kind)];
}

// The first place after `begin` with another value.
template <typename Value>
std::size_t EndOfRun(const std::vector<Value>& values, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < values.size() && values[end] == values[begin]) {
    ++end;
  }
  return end;
}

class Page {
 public:
  Page(const Plot& plot, Zone zone) : plot_(plot), zone_(zone), holds_(HoldsOf(plot)) {}

  std::string Html();

 private:
  // A panel's place and scale.
  struct Frame {
    double top = 0;
    double height = 0;
    double most = 1;
    double YOf(double value) const {
      return top + height - std::clamp(value / most, 0.0, 1.0) * height;
    }
  };

  double step() const { return kWidth / static_cast<double>(plot_.columns.size()); }
  double XOf(std::size_t column) const { return kLeft + step() * static_cast<double>(column); }
  // Begins a panel with a title of that text, already escaped.
  Frame Begin(const std::string& title, double height, double most);
  void Scale(const Frame& frame, const std::vector<std::pair<double, std::string>>& labels);
  void Bars(const Frame& frame, const std::vector<std::optional<PlotRange>>& bars);
  // A line in steps, interrupted where there is no value or one beyond the scale.
  void Line(const Frame& frame, const char* style,
            const std::vector<std::optional<double>>& values);
  void Replicas();
  void Metric(std::size_t metric);
  void Strips();
  void Axis();
  void Columns();
  std::string Tell(std::size_t column) const;
  std::string Tell(const PlotEvent& event) const;
  std::string Legend() const;
  std::string Table() const;

  const Plot& plot_;
  const Zone zone_;
  const std::vector<std::string> holds_;
  std::string svg_;
  double y_ = 0;
};

Page::Frame Page::Begin(const std::string& title, double height, double most) {
  svg_ += "<text x=\"" + At(kLeft) + "\" y=\"" + At(y_ + kTitleHeight - 8) + "\">" + title +
          "</text>\n";
  const Frame frame{y_ + kTitleHeight, height, most};
  y_ = frame.top + height;
  return frame;
}

void Page::Scale(const Frame& frame, const std::vector<std::pair<double, std::string>>& labels) {
  std::vector<double> taken;
  for (const auto& [value, text] : labels) {
    const double y = frame.YOf(value);
    // A label must not cover an earlier one.
    if (value > frame.most ||
        std::ranges::any_of(taken, [&](double other) { return std::abs(other - y) < 12; })) {
      continue;
    }
    taken.push_back(y);
    svg_ += "<text class=\"label\" x=\"" + At(kLeft - 6) + "\" y=\"" + At(y + 4) + "\">" +
            Escape(text) + "</text>\n";
  }
  const double bottom = frame.top + frame.height;
  svg_ += "<path class=\"axis\" fill=\"none\" d=\"M" + At(kLeft) + " " + At(frame.top) + "V" +
          At(bottom) + "H" + At(kLeft + kWidth) + "\"/>\n";
}

void Page::Bars(const Frame& frame, const std::vector<std::optional<PlotRange>>& bars) {
  std::string full;
  std::string between;
  for (std::size_t i = 0, end = 0; i < bars.size(); i = end) {
    end = EndOfRun(bars, i);
    if (!bars[i]) {
      continue;
    }
    const auto add = [&](std::string& path, double from, double to) {
      path += "M" + At(XOf(i)) + " " + At(from) + "V" + At(to) + "H" + At(XOf(end)) + "V" +
              At(from) + "Z";
    };
    const double low = frame.YOf(bars[i]->low);
    const double high = frame.YOf(bars[i]->high);
    add(full, frame.top + frame.height, low);
    if (high < low) {
      add(between, low, high);
    }
  }
  for (const auto& [style, path] : {std::pair{"bar", &full}, {"between", &between}}) {
    if (!path->empty()) {
      svg_ += std::string("<path class=\"") + style + "\" d=\"" + *path + "\"/>\n";
    }
  }
}

void Page::Line(const Frame& frame, const char* style,
                const std::vector<std::optional<double>>& values) {
  std::string path;
  bool drawing = false;
  for (std::size_t i = 0, end = 0; i < values.size(); i = end) {
    end = EndOfRun(values, i);
    if (!values[i] || *values[i] > frame.most) {
      drawing = false;
      continue;
    }
    const std::string y = At(frame.YOf(*values[i]));
    path += (drawing ? "V" + y : "M" + At(XOf(i)) + " " + y) + "H" + At(XOf(end));
    drawing = true;
  }
  if (!path.empty()) {
    svg_ += std::string("<path class=\"") + style + "\" d=\"" + path + "\"/>\n";
  }
}

void Page::Replicas() {
  const auto limits = LastLimits(plot_);
  const double top = TopOfReplicas(plot_);
  const Frame frame =
      Begin("replicas (desired: the line)" + (limits ? ", limits " + RangeText(*limits) : ""),
            kReplicasHeight, top);
  std::vector<std::optional<PlotRange>> bars;
  std::vector<std::optional<double>> desired;
  std::vector<std::optional<double>> least;
  std::vector<std::optional<double>> most;
  for (const PlotColumn& column : plot_.columns) {
    bars.push_back(column.replicas);
    desired.push_back(column.desired ? std::optional(column.desired->high) : std::nullopt);
    least.push_back(column.limits ? std::optional(column.limits->low) : std::nullopt);
    most.push_back(column.limits ? std::optional(column.limits->high) : std::nullopt);
  }
  Bars(frame, bars);
  Line(frame, "desired", desired);
  Line(frame, "line", least);
  Line(frame, "line", most);
  std::vector<std::pair<double, std::string>> labels = {{0, "0"}, {top, FigureText(top)}};
  if (limits) {
    labels.emplace_back(limits->high, FigureText(limits->high));
    labels.emplace_back(limits->low, FigureText(limits->low));
  }
  Scale(frame, labels);
}

void Page::Metric(std::size_t metric) {
  const explain::PlotMetric& shown = plot_.metrics[metric];
  const double top = TopOfMetric(plot_, metric);
  svg_ += "<g class=\"metric\">\n";
  const Frame frame = Begin(Escape(MetricTitle(plot_, metric)), kMetricHeight, top);
  std::vector<std::optional<PlotRange>> bars;
  std::vector<std::optional<double>> targets;
  for (const PlotColumn& column : plot_.columns) {
    bars.push_back(metric < column.values.size() ? column.values[metric] : std::nullopt);
    targets.push_back(metric < column.targets.size() ? column.targets[metric] : std::nullopt);
  }
  Bars(frame, bars);
  Line(frame, "line", targets);
  std::vector<std::pair<double, std::string>> labels = {{0, "0"}};
  if (const auto target = TargetsOf(plot_, metric)) {
    labels.emplace_back(target->high, FigureText(target->high, &shown));
  }
  labels.emplace_back(top, FigureText(top, &shown));
  Scale(frame, labels);
  svg_ += "</g>\n";
}

void Page::Strips() {
  y_ += 10;
  const auto label = [&](const char* text) {
    svg_ += "<text class=\"label\" x=\"" + At(kLeft - 6) + "\" y=\"" + At(y_ + 12) + "\">" + text +
            "</text>\n";
  };
  const auto rectangle = [&](std::size_t column, const std::string& style) {
    svg_ += "<rect class=\"" + style + "\" x=\"" + At(XOf(column)) + "\" y=\"" + At(y_) +
            "\" width=\"" + At(step()) + "\" height=\"" + At(kStripHeight - 4) + "\"/>\n";
  };
  label("held");
  for (std::size_t i = 0; i < plot_.columns.size(); ++i) {
    const PlotColumn& column = plot_.columns[i];
    if (!column.replicas) {
      rectangle(i, "none");
    } else if (!column.holds.empty()) {
      const auto hold = std::ranges::find(holds_, column.holds.front()) - holds_.begin();
      rectangle(i, "hold" + std::to_string(static_cast<std::size_t>(hold) % kHoldColors));
    }
  }
  y_ += kStripHeight;
  label("events");
  for (std::size_t i = 0; i < plot_.columns.size(); ++i) {
    const auto& events = plot_.columns[i].events;
    if (!events.empty()) {
      svg_ += "<text class=\"tick\" x=\"" + At(XOf(i) + step() / 2) + "\" y=\"" + At(y_ + 12) +
              "\">" + (events.size() > 1 ? "*" : GlyphOf(events.front().kind)) + "</text>\n";
    }
  }
  y_ += kStripHeight;
}

void Page::Axis() {
  for (const PlotTick& tick : TicksOf(plot_, zone_, plot_.columns.size() / 10)) {
    const std::string x = At(XOf(tick.column));
    svg_ += "<path class=\"axis\" d=\"M" + x + " " + At(y_ + 2) + "V" + At(y_ + 8) + "\"/>\n" +
            "<text class=\"tick\" x=\"" + x + "\" y=\"" + At(y_ + 22) + "\">" + tick.label +
            "</text>\n";
  }
}

std::string Page::Tell(const PlotEvent& event) const {
  return std::string(NameOf(event.kind)) +
         (event.from != event.to
              ? " " + std::to_string(event.from) + " -> " + std::to_string(event.to)
              : "") +
         (event.text.empty() ? "" : ": " + event.text);
}

// Escaped, a line for each fact.
std::string Page::Tell(std::size_t i) const {
  const PlotColumn& column = plot_.columns[i];
  const Time from = plot_.BeginOf(i);
  std::string text = PrintUnder(zone_, from, plot_.to()) + " to " +
                     PrintNear(zone_, plot_.BeginOf(i + 1), from) + "\n";
  if (!column.replicas) {
    text += "not evaluated\n";
  } else {
    text += "replicas " + RangeText(*column.replicas);
    if (column.desired) {
      text += ", desired " + RangeText(*column.desired);
    }
    text += column.limits ? ", limits " + RangeText(*column.limits) + "\n" : "\n";
  }
  for (std::size_t metric = 0; metric < column.values.size(); ++metric) {
    if (const auto& value = column.values[metric]) {
      const explain::PlotMetric& shown = plot_.metrics[metric];
      text += Escape(shown.name) + " " + RangeText(*value, &shown);
      if (metric < column.targets.size() && column.targets[metric]) {
        text += ", target " + FigureText(*column.targets[metric], &shown);
      }
      text += "\n";
    }
  }
  for (const std::string& hold : column.holds) {
    text += "held: " + Escape(hold) + "\n";
  }
  if (!column.message.empty()) {
    text += Escape(column.message) + "\n";
  }
  std::size_t told = 0;
  for (const PlotEvent& event : column.events) {
    text += PrintNear(zone_, event.time, from) + " " + Escape(Tell(event)) + "\n";
    ++told;
  }
  std::size_t all = 0;
  for (const std::size_t count : column.counts) {
    all += count;
  }
  return text + (all > told ? "and " + std::to_string(all - told) + " more\n" : "");
}

void Page::Columns() {
  for (std::size_t i = 0; i < plot_.columns.size(); ++i) {
    svg_ += "<rect class=\"column\" x=\"" + At(XOf(i)) + "\" y=\"" + At(kTitleHeight) +
            "\" width=\"" + At(step()) + "\" height=\"" + At(y_ - kTitleHeight) + "\"><title>" +
            Tell(i) + "</title></rect>\n";
  }
}

std::string Page::Legend() const {
  std::string text = "<p>";
  for (std::size_t i = 0; i < holds_.size(); ++i) {
    text += "<svg style=\"width: 12px; height: 12px\" viewBox=\"0 0 12 12\"><rect class=\"hold" +
            std::to_string(i % kHoldColors) + "\" width=\"12\" height=\"12\"/></svg> " +
            Escape(holds_[i]) + " \n";
  }
  const auto counts = CountEvents(plot_);
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    if (counts[kind] > 0) {
      const auto of = static_cast<explain::PlotEventKind>(kind);
      text += std::string(GlyphOf(of)) + " " + NameOf(of) + " (" + std::to_string(counts[kind]) +
              ") \n";
    }
  }
  return text + "</p>\n";
}

std::string Page::Table() const {
  std::string rows;
  for (const PlotColumn& column : plot_.columns) {
    for (const PlotEvent& event : column.events) {
      rows += "<tr><td>" + PrintUnder(zone_, event.time, plot_.to()) + "</td><td>" +
              Escape(Tell(event)) + "</td></tr>\n";
    }
  }
  return rows.empty() ? ""
                      : "<table>\n<tr><th>Time (" + Escape(NameOf(zone_, plot_.to())) +
                            ")</th><th>Event</th></tr>\n" + rows + "</table>\n";
}

std::string Page::Html() {
  Replicas();
  for (std::size_t metric = 0; metric < plot_.metrics.size(); ++metric) {
    Metric(metric);
  }
  Strips();
  Axis();
  Columns();
  const std::string title = Escape(plot_.subject.key.Print() + " (" + plot_.subject.kind + ")");
  const std::string height = At(y_ + kAxisHeight);
  return "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
         "<meta charset=\"utf-8\"/>\n<title>" +
         title + "</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n<h1>" + title +
         "</h1>\n<p>" + Escape(PrintSpan(zone_, plot_.from, plot_.to())) + ", " +
         Rough(plot_.width) + " a column</p>\n" +
         "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"history of " + title +
         "\" viewBox=\"0 0 " + At(kLeft + kWidth + 20) + " " + height + "\">\n" + svg_ +
         "</svg>\n" + Legend() + Table() + "</body>\n</html>\n";
}

}  // namespace

std::string PlotHtml(const Plot& plot, Zone zone) { return Page(plot, zone).Html(); }

}  // namespace ballast::cli
