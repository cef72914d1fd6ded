#include "api/autoscaling/conversion.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "api/autoscaling/rewrite.h"
#include "api/autoscaling/schema.h"
#include "api/autoscaling/strict_fields.h"
#include "api/autoscaling/types.h"
#include "api/json/json_writer.h"

namespace ballast::api {

namespace {

// Copies a member under another name, unless it is absent.
void Copy(json::Writer& out, const json::Cursor& member, std::string_view name) {
  if (member.present()) {
    out.Key(name);
    out.Raw(member.Print());
  }
}

void WriteMetric(json::Writer& out, const json::Cursor& name, const json::Cursor& selector) {
  out.Object("metric", [&] {
    Copy(out, name, "name");
    Copy(out, selector, "selector");
  });
}

bool IsZero(const json::Cursor& quantity) {
  Quantity value;
  Read(quantity, value);
  return value.Sign() == 0;
}

// Converts a metric of v1 or v2beta1, where the type of the target follows from which fields are
// set.
void WriteOldMetric(json::Writer& out, const json::Cursor& metric) {
  const auto target = [&](const char* type, const json::Cursor& value, const json::Cursor& average,
                          const json::Cursor& utilization) {
    out.Object("target", [&] {
      out.Field("type", type);
      Copy(out, value, "value");
      Copy(out, average, "averageValue");
      Copy(out, utilization, "averageUtilization");
    });
  };
  // v1 cannot leave these values out: one that is absent is 0.
  const auto zero = [&](const char* type, const char* value) {
    out.Object("target", [&] {
      out.Field("type", type);
      out.Field(value, "0");
    });
  };
  const json::Cursor none = metric.Member("");
  out.Object([&] {
    Copy(out, metric.Member("type"), "type");
    for (const char* source : {"resource", "containerResource"}) {
      if (const json::Cursor in = metric.Member(source); in.present()) {
        out.Object(source, [&] {
          const json::Cursor utilization = in.Member("targetAverageUtilization");
          Copy(out, in.Member("name"), "name");
          Copy(out, in.Member("container"), "container");
          target(utilization.present() ? "Utilization" : "AverageValue", none,
                 in.Member("targetAverageValue"), utilization);
        });
      }
    }
    if (const json::Cursor in = metric.Member("pods"); in.present()) {
      out.Object("pods", [&] {
        const json::Cursor average = in.Member("targetAverageValue");
        WriteMetric(out, in.Member("metricName"), in.Member("selector"));
        average.present() ? target("AverageValue", none, average, none)
                          : zero("AverageValue", "averageValue");
      });
    }
    if (const json::Cursor in = metric.Member("object"); in.present()) {
      const json::Cursor value = in.Member("targetValue");
      const json::Cursor average = in.Member("averageValue");
      out.Object("object", [&] {
        WriteMetric(out, in.Member("metricName"), in.Member("selector"));
        Copy(out, in.Member("target"), "describedObject");
        if (!average.present() && !value.present()) {
          zero("Value", "value");
          return;
        }
        // 0 beside an average means that there is none.
        target(average.present() ? "AverageValue" : "Value",
               average.present() && IsZero(value) ? none : value, average, none);
      });
    }
    if (const json::Cursor in = metric.Member("external"); in.present()) {
      const json::Cursor value = in.Member("targetValue");
      out.Object("external", [&] {
        WriteMetric(out, in.Member("metricName"), in.Member("metricSelector"));
        target(value.present() ? "Value" : "AverageValue", value, in.Member("targetAverageValue"),
               none);
      });
    }
  });
}

const SchemaField& SpecField(const SchemaField& object, std::string_view name) {
  return *object.Find("spec")->Find(name);
}

void WriteMetrics(json::Writer& out, const json::Cursor& object, const json::Cursor& spec) {
  const auto annotated = ReadAlphaAnnotation(object, "metrics").content;
  const json::Cursor cpu = spec.Member("targetCPUUtilizationPercentage");
  out.Array("metrics", [&] {
    for (const json::Cursor& metric : spec.Member("metrics").Elements()) {  // v2beta1
      WriteOldMetric(out, metric);
    }
    if (annotated) {
      json::Decoder decoder(*annotated);
      for (const json::Cursor& metric : decoder.root().Elements()) {
        WriteOldMetric(out, metric);
      }
    }
    if (cpu.present()) {
      out.Object([&] {
        out.Field("type", "Resource");
        out.Object("resource", [&] {
          out.Field("name", "cpu");
          out.Object("target", [&] {
            out.Field("type", "Utilization");
            Copy(out, cpu, "averageUtilization");
          });
        });
      });
    }
  });
}

// One without rules counts as absent.
void WriteBehavior(json::Writer& out, const json::Cursor& behavior) {
  if (behavior.Member("scaleUp").present() || behavior.Member("scaleDown").present()) {
    Copy(out, behavior, "behavior");
  }
}

// Whether the annotation is one of those that became fields.
bool IsAlphaAnnotation(std::string_view name) {
  constexpr std::string_view kFields[] = {"metrics", "behavior", "current-metrics", "conditions"};
  return name.starts_with(kAlphaAnnotations) &&
         std::ranges::count(kFields, name.substr(kAlphaAnnotations.size())) > 0;
}

void WriteAnnotations(json::Writer& out, const json::Cursor& annotations) {
  out.Object([&] {
    for (const auto& [name, text] : annotations.Members()) {
      if (!IsAlphaAnnotation(name)) {
        out.Field(name, text.Text());
      }
    }
  });
}

void WriteMetadata(json::Writer& out, const json::Cursor& metadata) {
  out.Object("metadata", [&] {
    for (const auto& [name, value] : metadata.Members()) {
      out.Key(name);
      if (name == "annotations") {
        WriteAnnotations(out, value);
      } else {
        out.Raw(value.Print());
      }
    }
  });
}

}  // namespace

// What the annotations hold are upstream's types in Go: some of their names begin with a capital,
// and encoding/json takes all in any case. It drops names that are unknown, and the annotation as a
// whole if one value in it has another type.
AlphaAnnotation ReadAlphaAnnotation(const json::Cursor& object, std::string_view name) {
  AlphaAnnotation out;
  const json::Cursor text = object.Member("metadata")
                                .Member("annotations")
                                .Member(std::string(kAlphaAnnotations) + std::string(name));
  if (!text.present()) {
    return out;
  }
  const auto document = json::Parse(text.Text());
  if (!document.ok()) {
    out.ignored.Add("", "it is no JSON");
    return out;
  }
  const SchemaField& schema = SpecField(name == "metrics" ? HpaV2Beta1Schema() : HpaSchema(), name);
  json::Decoder decoder(*document);
  const json::Cursor root = decoder.root();
  const auto check = [&](const json::Document& as) {
    json::Decoder read(as);
    out.ignored = CheckFields(read.root(), schema, Origin::kBuiltIn);
    return out.ignored.empty();
  };
  auto known = json::Parse(Rewrite(root, schema, Unknown::kDroppedInAnyCase));
  if (!root.IsNull() && check(*known)) {
    check(json::Parse(Rewrite(root, schema, Unknown::kKeptInAnyCase)).value());
    out.content = std::move(known).value();
  }
  return out;
}

std::string ConvertToV2(const json::Cursor& object) {
  const json::Cursor spec = object.Member("spec");
  const bool same_shape = object.Member("apiVersion").Text() == "autoscaling/v2beta2";
  json::Writer out;
  out.Object([&] {
    out.Field("apiVersion", kHpaApiVersion);
    out.Field("kind", kHpaKind);
    WriteMetadata(out, object.Member("metadata"));
    out.Object("spec", [&] {
      Copy(out, spec.Member("scaleTargetRef"), "scaleTargetRef");
      Copy(out, spec.Member("minReplicas"), "minReplicas");
      Copy(out, spec.Member("maxReplicas"), "maxReplicas");
      if (same_shape) {
        Copy(out, spec.Member("metrics"), "metrics");
        Copy(out, spec.Member("behavior"), "behavior");
      } else {
        WriteMetrics(out, object, spec);
        if (const auto behavior = ReadAlphaAnnotation(object, "behavior").content) {
          json::Decoder decoder(*behavior);
          WriteBehavior(out, decoder.root());
        }
      }
    });
  });
  return out.Take();
}

}  // namespace ballast::api
