// The syntax of names: label keys and values, DNS-1123 labels and subdomains, and segments of URL
// paths, as k8s.io/apimachinery checks them.
//
// Errors: each Check function returns what is wrong, in upstream's texts; empty if nothing is.
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

// The text in double quotes, escaped as Go's strconv.Quote does for ASCII; other bytes are copied.
std::string Quote(std::string_view text);
// The parts with the separator between them: "a; b".
std::string Join(const std::vector<std::string>& parts, std::string_view separator);

}  // namespace ballast::api
