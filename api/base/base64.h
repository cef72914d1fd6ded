// Base64 (RFC 4648, with padding), the encoding of []byte in Kubernetes' JSON.
//
// Errors: DecodeBase64 returns kInvalid; the message never contains the text, which may be a
// secret.
#pragma once

#include <string>
#include <string_view>

#include "api/base/result.h"

namespace ballast {

// Skips line breaks. kInvalid: a character outside of the alphabet, padding before the end, or a
// length that is not a multiple of four.
Result<std::string> DecodeBase64(std::string_view text);

std::string EncodeBase64(std::string_view bytes);

}  // namespace ballast
