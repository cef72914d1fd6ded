#include "operator/cli/cluster/check/finding.h"

#include <algorithm>
#include <cstddef>

#include "operator/cli/terminal/one_line.h"
#include "operator/cli/terminal/table.h"
#include "operator/cli/terminal/terminal.h"

namespace ballast::cli {
namespace {

const char* Name(Severity level) {
  return level == Severity::kOk ? "ok" : level == Severity::kWarning ? "warning" : "failure";
}

Colour ColourOf(Severity level) {
  return level == Severity::kOk        ? Colour::kGreen
         : level == Severity::kWarning ? Colour::kYellow
                                       : Colour::kRed;
}

std::string Count(const std::vector<Finding>& findings, Severity level) {
  const auto count = std::ranges::count(findings, level, &Finding::level);
  return std::to_string(count) + " " + Name(level) + (count == 1 ? "" : "s");
}

}  // namespace

Finding Unknown(const std::string& check, const std::string& what, const Error& why) {
  Finding finding{check, Severity::kWarning, what + " cannot be read: " + why.message, ""};
  if (why.code == Code::kForbidden) {
    finding.advice = "ask somebody who may";
  }
  return finding;
}

Severity Worst(const std::vector<Finding>& findings) {
  const auto worst = std::ranges::max_element(findings, {}, &Finding::level);
  return worst == findings.end() ? Severity::kOk : worst->level;
}

std::string Print(const std::vector<Finding>& findings, bool colour) {
  std::vector<Row> rows;
  for (const Finding& finding : findings) {
    rows.push_back(
        {colour ? Paint(ColourOf(finding.level), Name(finding.level)) : Name(finding.level),
         finding.check, OneLine(finding.message)});
    if (!finding.advice.empty()) {
      rows.push_back({"", "", "-> " + OneLine(finding.advice)});
    }
  }
  return Align(rows) + Count(findings, Severity::kFailure) + ", " +
         Count(findings, Severity::kWarning) + "\n";
}

void Encode(json::Writer& out, const std::vector<Finding>& findings) {
  out.Object([&] {
    out.Field("level", Name(Worst(findings)));
    out.Array("checks", [&] {
      for (const Finding& finding : findings) {
        out.Object([&] {
          out.Field("check", finding.check);
          out.Field("level", Name(finding.level));
          out.Field("message", finding.message);
          out.Field("advice", finding.advice);
        });
      }
    });
  });
}

}  // namespace ballast::cli
