#include "operator/app/operator_options.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace ballast::app {
namespace {

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
      {"--webhook-hpas refuse", true},
      {"--webhook-hpas sometimes", false},
      {"--webhook-address :9443", false},
      {"--webhook-address :9443 --webhook-certificate-dir /certificates", true},
      {"--webhook-address :9443 --webhook-secret a/b --webhook-configuration c", false},
      {"--webhook-address :9443 --webhook-secret a/b --webhook-configuration c --webhook-host d",
       true},
  };
  for (const auto& c : kCases) {
    CLI::App program;
    OperatorOptions options;
    AddOptions(*program.add_subcommand("operator"), options);
    bool fits = true;
    try {
      program.parse("operator " + std::string(c.arguments));
    } catch (const CLI::ParseError&) {
      fits = false;
    }
    EXPECT_EQ(fits, c.fits) << c.arguments;
  }
}

TEST(OperatorOptions, HpasAreWarnedAboutUnlessSomethingElseIsSaid) {
  const std::pair<const char*, webhooks::Hpas> kCases[] = {
      {"", webhooks::Hpas::kWarn},
      {"--webhook-hpas off", webhooks::Hpas::kOff},
      {"--webhook-hpas refuse", webhooks::Hpas::kRefuse}};
  for (const auto& [arguments, hpas] : kCases) {
    CLI::App program;
    OperatorOptions options;
    AddOptions(program, options);
    program.parse(arguments);
    EXPECT_EQ(options.webhook.hpas, hpas) << arguments;
  }
}

}  // namespace
}  // namespace ballast::app
