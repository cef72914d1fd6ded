#include "operator/sources/prometheus_answer.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "api/base/printable.h"
#include "api/json/json.h"
#include "operator/kube/answer_limit.h"

namespace ballast::sources {
namespace {

using json::Cursor;

constexpr double kMaxNumber = 9e15;         // its thousandths fit into 64 bits
constexpr double kMaxUnixSeconds = 2.5e11;  // about the year 9900
constexpr std::size_t kMaxMessage = 300;
// How notes on the query begin, which some versions of Prometheus list among the warnings.
constexpr std::string_view kNote = "PromQL info:";

Error Invalid(std::string message) { return {Code::kInvalid, std::move(message)}; }

std::string Cut(std::string_view text) { return Printable(std::string(text), kMaxMessage); }

Result<std::int64_t> ToMilli(std::string_view text) {
  if (text == "NaN") {
    return Invalid("the query's value is NaN");
  }
  if (text == "+Inf" || text == "-Inf") {
    return Invalid("the query's value is infinite (" + std::string(text) + ")");
  }
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
    return Error{Code::kCorrupt, "the answer's value is no number: \"" + Cut(text) + "\""};
  }
  if (std::abs(number) > kMaxNumber) {
    return Invalid("the query's value is too large: " + Cut(text));
  }
  return std::llround(number * 1000);
}

// [1700000000.123, "1.5"]
Result<engine::MetricValueList> ReadSample(const Cursor& sample) {
  double seconds = -1;
  std::string text;
  int parts = 0;
  for (const Cursor& part : sample.Elements()) {
    if (parts == 0) {
      part.Read(seconds);
    } else if (parts == 1) {
      part.Read(text);
    }
    ++parts;
  }
  if (parts != 2 || !(seconds >= 0 && seconds <= kMaxUnixSeconds)) {
    return Error{Code::kCorrupt, "the answer's sample is not a time and a value"};
  }
  ASSIGN_OR_RETURN(const std::int64_t milli, ToMilli(text));
  api::MetricValue value;
  const double whole = std::floor(seconds);
  value.timestamp = Time(static_cast<std::int64_t>(whole), 0) +
                    Duration::Milliseconds(std::llround((seconds - whole) * 1000));
  value.value = Quantity::FromMilli(milli);
  return engine::MetricValueList{std::move(value)};
}

Result<engine::MetricValueList> ReadVector(const Cursor& result) {
  const auto elements = result.Elements();
  if (elements.empty()) {
    return Error{Code::kNotFound,
                 "the query has no result; for a value without one add: or vector(0)"};
  }
  if (elements.size() > 1) {
    return Invalid("the query has " + std::to_string(elements.size()) +
                   " results where one is expected; aggregate them, as with sum(...)");
  }
  const Cursor element = *elements.begin();
  if (element.Member("histogram").present()) {
    return Invalid(
        "the query's result is a histogram; take a number from it, as with "
        "histogram_quantile(...)");
  }
  return ReadSample(element.Required("value"));
}

Result<engine::MetricValueList> ReadResult(const Cursor& root) {
  const std::string_view status = root.Member("status").Text();
  if (status == "error") {
    return Invalid("the source answered: " + Cut(root.Member("error").Text()));
  }
  if (status != "success") {
    return Error{Code::kCorrupt, "the answer is not one of Prometheus: it has no status"};
  }
  const Cursor data = root.Required("data");
  const std::string_view type = data.Required("resultType").Text();
  if (type == "scalar") {
    return ReadSample(data.Required("result"));
  }
  if (type == "vector") {
    return ReadVector(data.Required("result"));
  }
  return Invalid("the query's result is a " + Cut(type) + "; it must be a scalar or a vector");
}

// Why the value may be of a part of the data; nullopt: there is no reason to think so.
// VictoriaMetrics says it with a flag.
std::optional<std::string> WhyPartial(const Cursor& root) {
  if (bool is_partial = false; root.Member("isPartial").Read(is_partial) && is_partial) {
    return "a part of the data could not be read";
  }
  for (const Cursor& warning : root.Member("warnings").Elements()) {
    if (!warning.Text().starts_with(kNote)) {
      return Cut(warning.Text());
    }
  }
  return std::nullopt;
}

}  // namespace

Result<engine::MetricValueList> ReadPrometheusAnswer(std::string_view body, OnWarning on_warning) {
  const auto document = kube::ParseAnswer(body, kube::kQueryResult);
  if (!document.ok()) {
    return document.error().code == Code::kCorrupt
               ? document.error()
               : Error{Code::kCorrupt, "the answer cannot be read: " + document.error().message};
  }
  json::Decoder decoder(*document);
  const Cursor root = decoder.root();
  auto values = ReadResult(root);
  const auto partial = WhyPartial(root);
  if (const Status status = decoder.status(); !status.ok()) {
    return Error{Code::kCorrupt, "the answer cannot be read: " + status.error().message};
  }
  if (values.ok() && partial && on_warning == OnWarning::kRefuse) {
    return Error{Code::kUnavailable, "the answer may be incomplete: " + *partial};
  }
  return values;
}

bool BlamesQuery(Code code, std::string_view body) {
  const auto document = kube::ParseAnswer(body, kube::kQueryResult);
  if (!document.ok()) {
    return false;
  }
  json::Decoder decoder(*document);
  const json::Cursor answer = decoder.root();
  if (!answer.IsObject() || answer.Member("status").Text() != "error") {
    return false;
  }
  // Where it waited for others the source has too much to do.
  const bool took_long = answer.Member("errorType").Text() == "timeout" &&
                         answer.Member("error").Text().find("queue") == std::string_view::npos;
  return code == Code::kInvalid || took_long;
}

}  // namespace ballast::sources
