#include "operator/app/operator_options.h"

#include <gtest/gtest.h>

#include <iterator>
#include <sstream>
#include <string>

#include "tests/support/temp_dir.h"

namespace ballast::app {
namespace {

Status Parse(flags::Command& program, const std::string& arguments) {
  std::istringstream words(arguments);
  return program.Parse({std::istream_iterator<std::string>(words), {}});
}

TEST(OperatorOptions, WhatCannotWorkIsUsedWrong) {
  const struct {
    const char* arguments;
    bool fits;
  } kCases[] = {
      {"", true},
      {"--log-level debug", true},
      {"--log-level loud", false},
      {"--log-format text", true},
      {"--log-format xml", false},
      {"--feature-gates HPAScaleToZero=true,HPAConfigurableTolerance=false", true},
      {"--feature-gates HPAScaleToZero=perhaps", false},
      {"--feature-gates HPAScaleToOne=true", false},
      {"--evaluation-moments clock", true},
      {"--evaluation-moments sometimes", false},
      {"--longest-override 1s", true},
      {"--longest-override 0", false},
      {"--max-view-age 80s", true},
      {"--max-view-age 79s", false},
      {"--webhook-hpas refuse", true},
      {"--webhook-hpas sometimes", false},
      {"--webhook-address :9443", false},
      {"--webhook-address :9443 --webhook-certificate-dir /certificates", true},
      {"--webhook-address :9443 --webhook-secret a/b --webhook-configuration c", false},
      {"--webhook-address :9443 --webhook-secret a/b --webhook-configuration c --webhook-host d",
       true},
  };
  for (const auto& c : kCases) {
    flags::Command program;
    OperatorOptions options;
    AddOptions(program.AddSubcommand("operator"), options);
    EXPECT_EQ(Parse(program, "operator " + std::string(c.arguments)).ok(), c.fits) << c.arguments;
  }
}

TEST(OperatorOptions, MetricSourcesAreReadFromTheirFile) {
  const support::TempDir files;
  const auto parse = [&](const std::string& yaml, OperatorOptions& options) {
    flags::Command program;
    AddOptions(program, options);
    return Parse(program, "--metric-sources " + files.Write("sources.yaml", yaml));
  };
  OperatorOptions options;
  ASSERT_TRUE(
      parse("sources: [{name: main, url: http://prometheus, namespaces: [shop]}]", options).ok());
  ASSERT_EQ(options.metric_sources.size(), 1U);
  EXPECT_EQ(options.metric_sources.front().name, "main");
  EXPECT_TRUE(options.webhook.metric_sources.at("main").Contain("shop"));
  EXPECT_FALSE(options.webhook.metric_sources.at("main").Contain("bank"));
  EXPECT_FALSE(parse("sources: [{name: main}]", options).ok());
}

TEST(OperatorOptions, PolicyRulesAreReadFromTheirFile) {
  const support::TempDir files;
  const struct {
    const char* yaml;
    const char* more;
    const char* problem;  // empty: none
  } kCases[] = {
      {"rules: [{name: all, limits: {maxReplicas: 5}}]",
       " --webhook-address :9443 --webhook-certificate-dir /certificates", ""},
      {"rules: [{name: all, limits: {maxReplicas: 5}}]", "", "needs --webhook-address"},
      {"rules: []", "", ""},
      {"rules: [{name: all, limits: {maxReplicas: none}}]", "",
       "rules.yaml: rules[0].limits.maxReplicas: must be a whole number"},
  };
  for (const auto& c : kCases) {
    flags::Command program;
    OperatorOptions options;
    AddOptions(program, options);
    const Status status =
        Parse(program, "--policy-rules " + files.Write("rules.yaml", c.yaml) + c.more);
    EXPECT_EQ(status.ok(), *c.problem == '\0') << c.yaml;
    if (!status.ok()) {
      EXPECT_NE(status.error().message.find(c.problem), std::string::npos)
          << status.error().message;
    } else if (*c.more != '\0') {
      EXPECT_EQ(options.webhook.policy_rules.at(0).max_replicas, 5);
    }
  }
}

TEST(OperatorOptions, FeatureGatesAreSetOneByOne) {
  const struct {
    const char* arguments;
    std::optional<bool> scale_to_zero;
    std::optional<bool> configurable_tolerance;
  } kCases[] = {
      {"", std::nullopt, std::nullopt},
      {"--feature-gates HPAScaleToZero=true", true, std::nullopt},
      {"--feature-gates=HPAScaleToZero=false,HPAConfigurableTolerance=true", false, true},
      {"--feature-gates HPAScaleToZero=false --feature-gates HPAConfigurableTolerance=false", false,
       false},
  };
  for (const auto& c : kCases) {
    flags::Command program;
    OperatorOptions options;
    AddOptions(program, options);
    ASSERT_TRUE(Parse(program, c.arguments).ok()) << c.arguments;
    EXPECT_EQ(options.gates.scale_to_zero, c.scale_to_zero) << c.arguments;
    EXPECT_EQ(options.gates.configurable_tolerance, c.configurable_tolerance) << c.arguments;
  }
}

TEST(OperatorOptions, HpasAreWarnedAboutUnlessSomethingElseIsSaid) {
  const std::pair<const char*, webhooks::Hpas> kCases[] = {
      {"", webhooks::Hpas::kWarn},
      {"--webhook-hpas off", webhooks::Hpas::kOff},
      {"--webhook-hpas refuse", webhooks::Hpas::kRefuse}};
  for (const auto& [arguments, hpas] : kCases) {
    flags::Command program;
    OperatorOptions options;
    AddOptions(program, options);
    ASSERT_TRUE(Parse(program, arguments).ok()) << arguments;
    EXPECT_EQ(options.webhook.hpas, hpas) << arguments;
  }
}

}  // namespace
}  // namespace ballast::app
