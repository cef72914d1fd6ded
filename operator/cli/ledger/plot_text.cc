#include "operator/cli/ledger/plot_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base/human_duration.h"
#include "api/base/printable.h"
#include "operator/cli/ledger/plot_words.h"
#include "operator/cli/terminal/columns.h"

namespace ballast::cli {
namespace {

using explain::Plot;
using explain::PlotColumn;
using explain::PlotEventKind;
using explain::PlotRange;

constexpr std::size_t kNarrowest = 40;
// The labels of the scale, and its line.
constexpr std::size_t kLabel = 8;
constexpr std::size_t kMargin = kLabel + 1;
constexpr int kReplicaRows = 8;
constexpr int kMetricRows = 5;

struct Glyphs {
  std::vector<std::string_view> bars;  // of a filled part of a cell, the least first
  std::string_view between;            // from the lowest to the highest value of a column
  std::string_view mark;
  std::string_view line;
  std::string_view scale;
  std::string_view base;
  std::string_view origin;
  std::string_view tick;
  std::string_view several;
  std::array<std::string_view, explain::kPlotEventKinds> events;  // by kind
};

const Glyphs& GlyphsOf(const PlotScreen& screen) {
  static const Glyphs kUnicode = {{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
                                  "░",
                                  "•",
                                  "╌",
                                  "│",
                                  "─",
                                  "└",
                                  "┬",
                                  "*",
                                  {"▲", "▼", "!", "~", "x", "e"}};
  static const Glyphs kAscii = {{".", "#"}, ":", "o", "-", "|",
                                "-",        "+", "+", "*", {"^", "v", "!", "~", "x", "e"}};
  return screen.unicode ? kUnicode : kAscii;
}

// One value over time, drawn as bars.
struct Panel {
  std::vector<std::optional<PlotRange>> bars;
  std::vector<std::optional<PlotRange>>
      marks;                               // drawn where they differ from the bars; may be empty
  std::vector<std::vector<double>> lines;  // by column
  std::vector<std::pair<double, std::string>> labels;
  double top = 1;
  int rows = 1;
};

class Canvas {
 public:
  Canvas(const Panel& panel, const Glyphs& glyphs) : panel_(panel), glyphs_(glyphs) {}

  // The rows from the highest to the base line.
  std::string Draw() const;

 private:
  int steps() const { return static_cast<int>(glyphs_.bars.size()); }
  // How many steps of all rows the value fills; at least one if it is over zero.
  int LevelOf(double value) const;
  // The row in which the bar of the value ends, from 0; that of zero is the first one.
  int RowOf(double value) const { return std::max(LevelOf(value) - 1, 0) / steps(); }
  std::string LabelOf(int row) const;
  std::string_view CellAt(int row, std::size_t column) const;
  bool IsMarked(int row, std::size_t column) const;

  const Panel& panel_;
  const Glyphs& glyphs_;
};

std::string RightAligned(const std::string& text) {
  return std::string(kLabel - 1 - std::min(text.size(), kLabel - 1), ' ') + text + " ";
}

int Canvas::LevelOf(double value) const {
  if (value <= 0) {
    return 0;
  }
  const int all = panel_.rows * steps();
  return std::clamp(static_cast<int>(std::lround(value / panel_.top * all)), 1, all);
}

std::string Canvas::LabelOf(int row) const {
  for (const auto& [value, text] : panel_.labels) {
    if (value > 0 && value <= panel_.top && RowOf(value) == row) {
      return text;
    }
  }
  return "";
}

bool Canvas::IsMarked(int row, std::size_t column) const {
  if (panel_.marks.empty() || !panel_.marks[column] || !panel_.bars[column]) {
    return false;
  }
  const PlotRange& mark = *panel_.marks[column];
  const PlotRange& bar = *panel_.bars[column];
  if (mark.low == bar.low && mark.high == bar.high) {
    return false;
  }
  return (mark.high != bar.high && RowOf(mark.high) == row) ||
         (mark.low != bar.low && RowOf(mark.low) == row);
}

std::string_view Canvas::CellAt(int row, std::size_t column) const {
  if (IsMarked(row, column)) {
    return glyphs_.mark;
  }
  const auto& bar = panel_.bars[column];
  const auto part = [&](double value) {
    return std::clamp(LevelOf(value) - row * steps(), 0, steps());
  };
  const int low = bar ? part(bar->low) : 0;
  const int high = bar ? part(bar->high) : 0;
  const bool line = std::ranges::any_of(panel_.lines[column], [&](double value) {
    return value <= panel_.top && RowOf(value) == row;
  });
  // A line is seen behind a bar that rises above it, but does not cover the bar's end.
  if (line && (high == 0 || (bar && RowOf(bar->low) > row))) {
    return glyphs_.line;
  }
  if (low > 0 && (low == steps() || high == low)) {
    return glyphs_.bars[static_cast<std::size_t>(low) - 1];
  }
  return high > 0 ? glyphs_.between : " ";
}

std::string Canvas::Draw() const {
  std::string text;
  for (int row = panel_.rows - 1; row >= 0; --row) {
    std::string line = RightAligned(LabelOf(row)) + std::string(glyphs_.scale);
    for (std::size_t column = 0; column < panel_.bars.size(); ++column) {
      line += CellAt(row, column);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  std::string base = RightAligned("0") + std::string(glyphs_.origin);
  for (const auto& bar : panel_.bars) {
    base += bar ? glyphs_.base : " ";
  }
  base.erase(base.find_last_not_of(' ') + 1);
  return text + base + "\n";
}

class Drawing {
 public:
  Drawing(const Plot& plot, const PlotScreen& screen)
      : plot_(plot), screen_(screen), glyphs_(GlyphsOf(screen)) {}

  std::string Text();

 private:
  void Line(const std::string& text);
  void Title();
  void Replicas();
  void Metric(std::size_t metric);
  // One character for each column.
  template <typename CharacterOf>
  void Strip(const char* label, CharacterOf character_of);
  void Holds();
  void Events();
  void TimeAxis();

  const Plot& plot_;
  const PlotScreen& screen_;
  const Glyphs& glyphs_;
  std::string text_;
};

std::size_t WidthFor(const PlotScreen& screen) { return std::max(screen.width, kNarrowest); }

void Drawing::Line(const std::string& text) {
  std::string line = Printable(text);
  if (!screen_.unicode) {  // a metric's name may have other characters
    std::ranges::replace_if(
        line, [](unsigned char c) { return c >= 0x80; }, '?');
  }
  text_ += FitTo(line, WidthFor(screen_)) + "\n";
}

void Drawing::Title() {
  Line(plot_.subject.key.Print() + " (" + plot_.subject.kind + ")");
  Line(PrintSpan(screen_.zone, plot_.from, plot_.to()) + ", " + HumanDuration(plot_.width) +
       " a column");
}

void Drawing::Replicas() {
  Panel panel;
  panel.top = TopOfReplicas(plot_);
  // A row for each replica, if they are few.
  panel.rows = std::clamp(static_cast<int>(std::min(panel.top, 1e3)), 3, kReplicaRows);
  panel.labels = {{panel.top, FigureText(panel.top)}};
  bool marked = false;
  for (const PlotColumn& column : plot_.columns) {
    panel.bars.push_back(column.replicas);
    panel.marks.push_back(column.desired);
    marked = marked || (column.replicas && column.desired &&
                        (column.replicas->low != column.desired->low ||
                         column.replicas->high != column.desired->high));
    panel.lines.emplace_back();
    if (column.limits) {
      panel.lines.back() = {column.limits->low, column.limits->high};
    }
  }
  std::string title = "replicas " + std::string(glyphs_.bars.back());
  if (marked) {
    title += "  desired " + std::string(glyphs_.mark);
  }
  if (const auto limits = LastLimits(plot_)) {
    title += "  limits " + RangeText(*limits) + " " + std::string(glyphs_.line);
    panel.labels.emplace_back(limits->high, FigureText(limits->high));
    panel.labels.emplace_back(limits->low, FigureText(limits->low));
  }
  Line(title);
  text_ += Canvas(panel, glyphs_).Draw();
}

void Drawing::Metric(std::size_t metric) {
  Panel panel;
  panel.top = TopOfMetric(plot_, metric);
  panel.rows = kMetricRows;
  const explain::PlotMetric& shown = plot_.metrics[metric];
  const auto targets = TargetsOf(plot_, metric);
  if (targets) {
    panel.labels = {{targets->high, FigureText(targets->high, &shown)},
                    {targets->low, FigureText(targets->low, &shown)}};
  }
  panel.labels.emplace_back(panel.top, FigureText(panel.top, &shown));
  for (const PlotColumn& column : plot_.columns) {
    panel.bars.push_back(metric < column.values.size() ? column.values[metric] : std::nullopt);
    panel.lines.emplace_back();
    if (metric < column.targets.size() && column.targets[metric]) {
      panel.lines.back() = {*column.targets[metric]};
    }
  }
  Line(MetricTitle(plot_, metric) + (targets ? " " + std::string(glyphs_.line) : ""));
  text_ += Canvas(panel, glyphs_).Draw();
}

template <typename CharacterOf>
void Drawing::Strip(const char* label, CharacterOf character_of) {
  std::string line = RightAligned(label) + std::string(glyphs_.scale);
  for (const PlotColumn& column : plot_.columns) {
    line += character_of(column);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  text_ += line + "\n";
}

// A letter for each reason: "a", "b".
std::string LetterOf(std::size_t reason) {
  return reason < 26 ? std::string(1, static_cast<char>('a' + reason)) : "?";
}

void Drawing::Holds() {
  const std::vector<std::string> holds = HoldsOf(plot_);
  if (holds.empty()) {
    return;
  }
  Strip("held", [&](const PlotColumn& column) -> std::string {
    if (column.holds.empty()) {
      return " ";
    }
    const auto found = std::ranges::find(holds, column.holds.front());
    return column.holds.size() > 1 ? std::string(glyphs_.several)
                                   : LetterOf(static_cast<std::size_t>(found - holds.begin()));
  });
}

void Drawing::Events() {
  Strip("events", [&](const PlotColumn& column) -> std::string_view {
    std::string_view glyph = " ";
    for (std::size_t kind = 0; kind < column.counts.size(); ++kind) {
      if (column.counts[kind] > 0) {
        glyph = glyph == " " ? glyphs_.events[kind] : glyphs_.several;
      }
    }
    return glyph;
  });
}

void Drawing::TimeAxis() {
  // Room for a time, or a date and a time.
  const bool long_span = plot_.to() - plot_.from > Duration::Seconds(std::int64_t{12} * 3600);
  std::vector<bool> ticks(plot_.columns.size());
  std::string labels;
  for (const PlotTick& tick : TicksOf(plot_, screen_.zone, long_span ? 15 : 12)) {
    ticks[tick.column] = true;
    if (kMargin + tick.column + tick.label.size() <= WidthFor(screen_)) {
      labels = PadTo(std::move(labels), kMargin + tick.column) + tick.label;
    }
  }
  text_ += std::string(kLabel, ' ') + std::string(glyphs_.origin);
  for (const bool tick : ticks) {
    text_ += tick ? glyphs_.tick : glyphs_.base;
  }
  text_ += "\n" + labels + "\n";
}

std::string Drawing::Text() {
  Title();
  Replicas();
  for (std::size_t metric = 0; metric < plot_.metrics.size(); ++metric) {
    Metric(metric);
  }
  Holds();
  Events();
  TimeAxis();
  const std::vector<std::string> holds = HoldsOf(plot_);
  std::vector<std::string> legend;
  for (std::size_t i = 0; i < holds.size(); ++i) {
    legend.push_back(LetterOf(i) + " " + holds[i]);
  }
  const auto counts = CountEvents(plot_);
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    if (counts[kind] > 0) {
      legend.push_back(std::string(glyphs_.events[kind]) + " " +
                       NameOf(static_cast<PlotEventKind>(kind)) + " (" +
                       std::to_string(counts[kind]) + ")");
    }
  }
  std::string line;
  for (const std::string& item : legend) {
    if (!line.empty() && WidthOf(line) + 2 + WidthOf(item) > WidthFor(screen_)) {
      Line(std::exchange(line, ""));
    }
    line += (line.empty() ? "" : "  ") + item;
  }
  if (!line.empty()) {
    Line(line);
  }
  return std::move(text_);
}

}  // namespace

std::size_t PlotColumnsFor(const PlotScreen& screen) { return WidthFor(screen) - kMargin; }

std::string PlotText(const Plot& plot, const PlotScreen& screen) {
  return Drawing(plot, screen).Text();
}

}  // namespace ballast::cli
