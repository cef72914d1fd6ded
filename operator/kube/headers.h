// The HTTP headers in which API servers say more than the status, and the check of header values
// that we send.
//
// Errors: none; a Retry-After that cannot be parsed is nullopt.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballast::kube {

// The longest Retry-After that is honoured; longer ones are cut to this.
inline constexpr std::chrono::minutes kLongestRetryAfter{2};

// The header with a call's id in the API server's audit log.
inline constexpr const char* kAuditId = "Audit-Id";

// Retry-After in seconds, at most kLongestRetryAfter; nullopt if absent or not a number (API
// servers send no dates).
std::optional<std::chrono::milliseconds> ParseRetryAfter(std::string_view header);

// The texts of a Warning header: `299 - "text"`, several separated by commas (RFC 7234, 5.5).
std::vector<std::string> ParseWarnings(std::string_view header);

// Whether the text can be a header's value: it has no line break or other control character.
bool IsHeaderText(std::string_view text);
// The error message for a text that cannot.
inline constexpr const char* kNotHeaderText = "has a line break or another control character";

}  // namespace ballast::kube
