// Spans of time rounded for people.
#pragma once

#include <string>

#include "api/base/time.h"

namespace ballast {

// The two largest units of days, hours, minutes and seconds ("1d2h", "1h5m", "12m", "45s"), or
// tenths of a second below one ("0.4s"). `span` must not be negative.
std::string HumanDuration(Duration span);

// "5s old", or what `past` says; "5s ahead" of what has a time that is to come, since clocks
// differ.
std::string HumanAge(Duration age, const char* past = "old");

}  // namespace ballast
