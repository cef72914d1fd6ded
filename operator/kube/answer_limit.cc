#include "operator/kube/answer_limit.h"

#include <string>

namespace ballast::kube {
namespace {

Error Beyond(const std::string& what, const AnswerLimit& limit) {
  return {Code::kCorrupt,
          "the answer " + what + (limit.remedy.empty() ? "" : "; ") + std::string(limit.remedy)};
}

}  // namespace

Error TooLarge(const AnswerLimit& limit) {
  return Beyond("is larger than " + std::to_string(limit.bytes) + " bytes", limit);
}

Error TooManyPages() {
  return {Code::kCorrupt, "the list did not end after " + std::to_string(kMostPages) + " pages"};
}

Result<json::Document> ParseAnswer(std::string_view body, const AnswerLimit& limit) {
  auto document = json::ParseAtMost(limit.values, body);
  if (!document.ok() && document.error().code == Code::kFull) {
    return Beyond(document.error().message, limit);
  }
  return document;
}

}  // namespace ballast::kube
