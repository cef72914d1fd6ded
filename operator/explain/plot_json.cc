#include "operator/explain/plot_json.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/json/json.h"
#include "api/json/json_writer.h"

namespace ballast::explain {
namespace {

// In the order of PlotEventKind.
constexpr std::array<std::string_view, kPlotEventKinds> kKinds = {
    "scaledOut", "scaledIn", "notWritten", "dryRun", "foreignChange", "edit"};

void Write(json::Writer& out, const PlotRange& range) {
  out.Object([&] {
    out.Field("low", range.low);
    out.Field("high", range.high);
  });
}

void Write(json::Writer& out, double value) { out.Value(value); }

template <typename T>
void WriteField(json::Writer& out, std::string_view name, const std::optional<T>& value) {
  if (value) {
    out.Key(name);
    Write(out, *value);
  }
}

template <typename T>
void WriteEach(json::Writer& out, std::string_view name, const std::vector<std::optional<T>>& all) {
  if (all.empty()) {
    return;
  }
  out.Array(name, [&] {
    for (const std::optional<T>& one : all) {
      if (one) {
        Write(out, *one);
      } else {
        out.Null();
      }
    }
  });
}

void Write(json::Writer& out, const PlotEvent& event) {
  out.Object([&] {
    out.Field("kind", kKinds[static_cast<std::size_t>(event.kind)]);
    out.Field("time", Print(event.time));
    out.Field("from", event.from);
    out.Field("to", event.to);
    out.Field("text", event.text);
  });
}

void WriteEvents(json::Writer& out, const PlotColumn& column) {
  if (column.events.empty()) {
    return;
  }
  out.Array("events", [&] {
    for (const PlotEvent& event : column.events) {
      Write(out, event);
    }
  });
  out.Object("counts", [&] {
    for (std::size_t kind = 0; kind < kPlotEventKinds; ++kind) {
      if (column.counts[kind] > 0) {
        out.Field(kKinds[kind], static_cast<std::int64_t>(column.counts[kind]));
      }
    }
  });
}

void Write(json::Writer& out, const PlotColumn& column) {
  out.Object([&] {
    WriteField(out, "replicas", column.replicas);
    WriteField(out, "desired", column.desired);
    WriteField(out, "limits", column.limits);
    WriteEach(out, "values", column.values);
    WriteEach(out, "targets", column.targets);
    if (!column.holds.empty()) {
      out.Array("holds", [&] {
        for (const std::string& hold : column.holds) {
          out.Value(hold);
        }
      });
    }
    if (!column.message.empty()) {
      out.Field("message", column.message);
    }
    WriteEvents(out, column);
  });
}

bool Read(const json::Cursor& in, double& out) { return in.Read(out); }

bool Read(const json::Cursor& in, PlotRange& out) {
  return in.present() && in.Required("low").Read(out.low) && in.Required("high").Read(out.high);
}

template <typename T>
std::optional<T> ReadOptional(const json::Cursor& in) {
  T value{};
  return Read(in, value) ? std::optional(value) : std::nullopt;
}

template <typename T>
std::vector<std::optional<T>> ReadEach(const json::Cursor& in) {
  std::vector<std::optional<T>> all;
  for (const json::Cursor& one : in.Elements()) {
    all.push_back(one.IsNull() ? std::nullopt : ReadOptional<T>(one));
  }
  return all;
}

std::size_t ReadKind(const json::Cursor& in, std::string_view name) {
  const auto* const kind = std::ranges::find(kKinds, name);
  if (kind == kKinds.end()) {
    in.Fail("is not an event that this version knows");
    return 0;
  }
  return static_cast<std::size_t>(kind - kKinds.begin());
}

PlotEvent ReadEvent(const json::Cursor& in) {
  PlotEvent event;
  const json::Cursor kind = in.Required("kind");
  event.kind = static_cast<PlotEventKind>(ReadKind(kind, kind.Text()));
  json::Read(in.Required("time"), event.time);
  in.Required("from").Read(event.from);
  in.Required("to").Read(event.to);
  in.Required("text").Read(event.text);
  return event;
}

PlotColumn ReadColumn(const json::Cursor& in) {
  PlotColumn column;
  column.replicas = ReadOptional<PlotRange>(in.Member("replicas"));
  column.desired = ReadOptional<PlotRange>(in.Member("desired"));
  column.limits = ReadOptional<PlotRange>(in.Member("limits"));
  column.values = ReadEach<PlotRange>(in.Member("values"));
  column.targets = ReadEach<double>(in.Member("targets"));
  for (const json::Cursor& hold : in.Member("holds").Elements()) {
    hold.Read(column.holds.emplace_back());
  }
  in.Member("message").Read(column.message);
  for (const json::Cursor& event : in.Member("events").Elements()) {
    column.events.push_back(ReadEvent(event));
  }
  for (const auto& [name, count] : in.Member("counts").Members()) {
    std::int64_t events = 0;
    count.Read(events);
    column.counts[ReadKind(count, name)] = static_cast<std::size_t>(events);
  }
  return column;
}

}  // namespace

std::string PlotJson(const Plot& plot) {
  json::Writer out;
  out.Object([&] {
    out.Field("kind", plot.subject.kind);
    out.Field("namespace", plot.subject.key.namespace_);
    out.Field("name", plot.subject.key.name);
    out.Field("uid", plot.subject.uid);
    out.Field("from", Print(plot.from));
    out.Field("width", Print(plot.width));
    if (plot.left) {
      out.Field("historyBegins", Print(*plot.left));
    }
    out.Array("metrics", [&] {
      for (const PlotMetric& metric : plot.metrics) {
        out.Object([&] {
          out.Field("name", metric.name);
          out.Field("target", metric.target);
        });
      }
    });
    out.Array("columns", [&] {
      for (const PlotColumn& column : plot.columns) {
        Write(out, column);
      }
    });
  });
  return out.Take();
}

Result<Plot> ParsePlot(std::string_view text) {
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(text));
  json::Decoder decoder(document);
  const json::Cursor in = decoder.root();
  Plot plot;
  in.Required("kind").Read(plot.subject.kind);
  in.Required("namespace").Read(plot.subject.key.namespace_);
  in.Required("name").Read(plot.subject.key.name);
  in.Required("uid").Read(plot.subject.uid);
  json::Read(in.Required("from"), plot.from);
  const json::Cursor width = in.Required("width");
  if (json::Read(width, plot.width) && plot.width <= Duration()) {
    width.Fail("must be more than 0s");
  }
  if (Time left; json::Read(in.Member("historyBegins"), left)) {
    plot.left = left;
  }
  for (const json::Cursor& metric : in.Required("metrics").Elements()) {
    PlotMetric& read = plot.metrics.emplace_back();
    metric.Required("name").Read(read.name);
    metric.Required("target").Read(read.target);
  }
  for (const json::Cursor& column : in.Required("columns").Elements()) {
    plot.columns.push_back(ReadColumn(column));
    const PlotColumn& read = plot.columns.back();
    if (std::max(read.values.size(), read.targets.size()) > plot.metrics.size()) {
      column.Fail("has more metrics than the plot");
    }
  }
  TRY(decoder.status());
  return plot;
}

}  // namespace ballast::explain
