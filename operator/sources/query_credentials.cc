#include "operator/sources/query_credentials.h"

#include <cstddef>
#include <string_view>

#include "operator/kube/headers.h"

namespace ballast::sources {
namespace {

constexpr std::string_view kRedacted = "(a credential)";

}  // namespace

Result<std::string> ReadHeaderText(const kube::Material& material) {
  ASSIGN_OR_RETURN(std::string text, material.Read());
  if (!material.file.empty()) {
    text.erase(text.find_last_not_of("\r\n") + 1);
    if (text.empty() || !kube::IsHeaderText(text)) {
      return Error{Code::kInvalid,
                   material.file + ": " + (text.empty() ? "is empty" : kube::kNotHeaderText)};
    }
  }
  return text;
}

std::string Redact(std::string text, const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    for (std::size_t at = 0; !secret.empty() && (at = text.find(secret, at)) != std::string::npos;
         at += kRedacted.size()) {
      text.replace(at, secret.size(), kRedacted);
    }
  }
  return text;
}

}  // namespace ballast::sources
