#include "operator/sources/prometheus_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace ballast::sources {
namespace {

using testing::HasSubstr;

std::string Answer(const std::string& type, const std::string& result,
                   const std::string& more = "") {
  return R"({"status":"success","data":{"resultType":")" + type + R"(","result":)" + result + "}" +
         more + "}";
}
std::string Element(const std::string& value) {
  return R"({"metric":{"job":"web"},"value":[1772625600.25,")" + value + R"("]})";
}

TEST(ReadPrometheusAnswer, OneNumberIsTheValue) {
  const struct {
    std::string body;
    std::int64_t milli;
  } kCases[] = {
      {Answer("scalar", R"([1772625600.25,"12"])"), 12'000},
      {Answer("vector", "[" + Element("0.30000000000000004") + "]"), 300},
      {Answer("vector", "[" + Element("0") + "]"), 0},
      {Answer("vector", "[" + Element("0.0004") + "]"), 0},
      {Answer("vector", "[" + Element("-1.5") + "]"), -1500},
      {Answer("vector", "[" + Element("1.5e+06") + "]"), 1'500'000'000},
      {Answer("vector", "[" + Element("1") + "]", R"(,"infos":["may be no counter"])"), 1000},
      {Answer("vector", "[" + Element("1") + "]", R"(,"warnings":[],"isPartial":false)"), 1000},
      {Answer("vector", "[" + Element("1") + "]",
              R"(,"warnings":["PromQL info: metric might not be a counter"])"),
       1000},
  };
  for (const auto& c : kCases) {
    const auto values = ReadPrometheusAnswer(c.body, OnWarning::kRefuse);
    ASSERT_TRUE(values.ok()) << c.body << ": " << values.error().message;
    ASSERT_EQ(values->size(), 1U);
    EXPECT_EQ(values->front().value.MilliValue(), c.milli);
    EXPECT_EQ(values->front().timestamp, Time(1'772'625'600, 250'000'000));
  }
}

TEST(ReadPrometheusAnswer, AnythingElseIsAnError) {
  const struct {
    std::string body;
    Code code;
    const char* message;
  } kCases[] = {
      {Answer("vector", "[]"), Code::kNotFound, "no result; for a value without one add: or vec"},
      {Answer("vector", "[" + Element("1") + "," + Element("2") + "]"), Code::kInvalid,
       "has 2 results where one is expected; aggregate them"},
      {Answer("vector", "[" + Element("NaN") + "]"), Code::kInvalid, "value is NaN"},
      {Answer("vector", "[" + Element("+Inf") + "]"), Code::kInvalid, "infinite (+Inf)"},
      {Answer("scalar", R"([1,"-Inf"])"), Code::kInvalid, "infinite (-Inf)"},
      {Answer("vector", "[" + Element("1e+300") + "]"), Code::kInvalid, "too large: 1e+300"},
      {Answer("vector", "[" + Element("1x") + "]"), Code::kCorrupt, "no number: \"1x\""},
      {Answer("vector", "[" + Element("") + "]"), Code::kCorrupt, "no number"},
      {Answer("vector", R"([{"metric":{},"histogram":[1,{}]}])"), Code::kInvalid, "a histogram"},
      {Answer("matrix", "[]"), Code::kInvalid, "result is a matrix"},
      {Answer("string", R"([1,"a"])"), Code::kInvalid, "result is a string"},
      {Answer("scalar", "[1]"), Code::kCorrupt, "not a time and a value"},
      {Answer("scalar", R"([-1,"1"])"), Code::kCorrupt, "not a time and a value"},
      {Answer("scalar", R"([1e300,"1"])"), Code::kCorrupt, "not a time and a value"},
      {Answer("vector", "[" + Element("1") + "]", R"(,"warnings":["a store is down"])"),
       Code::kUnavailable, "may be incomplete: a store is down"},
      {Answer("vector", "[" + Element("1") + "]",
              R"(,"warnings":["PromQL info: no counter","a store is down"])"),
       Code::kUnavailable, "may be incomplete: a store is down"},
      {Answer("vector", "[" + Element("1") + "]", R"(,"warnings":[7])"), Code::kUnavailable,
       "may be incomplete"},
      {Answer("vector", "[" + Element("1") + "]", R"(,"isPartial":true)"), Code::kUnavailable,
       "may be incomplete: a part of the data could not be read"},
      {R"({"status":"error","errorType":"bad_data","error":"parse error"})", Code::kInvalid,
       "the source answered: parse error"},
      {R"({"status":"success"})", Code::kCorrupt, "data: is required"},
      {R"({"kind":"Status"})", Code::kCorrupt, "not one of Prometheus"},
      {"<html>", Code::kCorrupt, "cannot be read: not JSON"},
      {"[1]", Code::kCorrupt, ""},
      {Answer("vector", R"("x")"), Code::kCorrupt, ""},
  };
  for (const auto& c : kCases) {
    const auto values = ReadPrometheusAnswer(c.body, OnWarning::kRefuse);
    ASSERT_FALSE(values.ok()) << c.body;
    EXPECT_EQ(values.error().code, c.code) << c.body << ": " << values.error().message;
    EXPECT_THAT(values.error().message, HasSubstr(c.message));
  }
}

TEST(ReadPrometheusAnswer, WarningsCanBeAccepted) {
  for (const char* warning : {R"(,"warnings":["a store is down"])", R"(,"isPartial":true)"}) {
    const auto values = ReadPrometheusAnswer(Answer("vector", "[" + Element("1") + "]", warning),
                                             OnWarning::kAccept);
    ASSERT_TRUE(values.ok()) << values.error().message;
    EXPECT_EQ(values->front().value.MilliValue(), 1000);
  }
}

}  // namespace
}  // namespace ballast::sources
