// Base64 (RFC 4648, with padding), as Kubernetes writes bytes in JSON.
//
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "api/base/result.h"

namespace ballast {

// Line breaks are skipped. kInvalid names what is wrong, never the text, which may be a secret.
Result<std::string> DecodeBase64(std::string_view text);

std::string EncodeBase64(std::string_view bytes);

}  // namespace ballast
