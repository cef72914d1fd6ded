// What proves to a source of metrics who asks: headers, and what of them may not be shown.
//
// Errors: ReadHeaderText: those of reading the file; kInvalid, with the file, if it is empty or has
// a control character.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "api/base/result.h"
#include "operator/kube/auth/config.h"

namespace ballast::sources {

struct QueryCredentials {
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::string> secrets;
};

// A credential as it is in its file now, without the line break at its end.
Result<std::string> ReadHeaderText(const kube::Material& material);

// What a server answered, without the credentials that it may have repeated.
std::string Redact(std::string text, const std::vector<std::string>& secrets);

}  // namespace ballast::sources
