// Prints the answer of `ballast why` as text or JSON.
#pragma once

#include <string>

#include "operator/cli/terminal/times.h"
#include "operator/explain/moment.h"

namespace ballast::cli {

// `answer`: of AnswerAbout (why_answer.h).
std::string WhyText(const explain::Moment& why, const std::string& answer, Zone zone);
std::string WhyJson(const explain::Moment& why, const std::string& answer);

}  // namespace ballast::cli
