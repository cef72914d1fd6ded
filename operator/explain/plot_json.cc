#include "operator/explain/plot_json.h"

#include <array>
#include <utility>

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

}  // namespace ballast::explain
