// The HTTP headers that API servers use to tell more than the answer, and what may stand in ours.
//
// Thread-safety: pure functions.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ballast::kube {

// However long a server asks to be left alone, it is asked again after this.
inline constexpr std::chrono::minutes kLongestRetryAfter{2};

// By which name an API server's audit log knows a call.
inline constexpr const char* kAuditId = "Audit-Id";

// Retry-After in seconds, cut to the longest; nullopt when absent or not a number (API servers send
// no dates).
std::optional<std::chrono::milliseconds> ParseRetryAfter(std::string_view header);

// The texts of a Warning header: `299 - "text"`, several separated by commas (RFC 7234, 5.5).
std::vector<std::string> ParseWarnings(std::string_view header);

// Whether the text can be a header's value: it has no line break or other control character.
bool IsHeaderText(std::string_view text);
// What to say of one that cannot.
inline constexpr const char* kNotHeaderText = "has a line break or another control character";

}  // namespace ballast::kube
