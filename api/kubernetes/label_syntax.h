// What a name may look like: the grammars of label keys and values, DNS-1123 labels and subdomains,
// and segments of URL paths, as k8s.io/apimachinery checks them.
//
// Each function returns what is wrong with the text, in upstream's words; empty when nothing is.
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ballast::api {

using Complaints = std::vector<std::string>;

Complaints CheckLabelKey(std::string_view text);          // "app.example.com/name"
Complaints CheckLabelValue(std::string_view text);        // may be empty
Complaints CheckDns1123Label(std::string_view text);      // "my-name"
Complaints CheckDns1123Subdomain(std::string_view text);  // "example.com"
Complaints CheckPathSegment(std::string_view text);       // not ".", "..", no '/' and no '%'

// The text in double quotes, escaped as Go's strconv.Quote does.
std::string Quote(std::string_view text);
// "a; b"
std::string Join(const std::vector<std::string>& parts, std::string_view separator);

}  // namespace ballast::api
