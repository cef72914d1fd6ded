// Reads the answer of Prometheus' HTTP API to an instant query: one number and the time for which
// it was evaluated.
//
// A scalar is one number, and so is a vector with one element. All else is an error, since it would
// have to be guessed at: no element, several, a number that is none or infinite, a histogram, a
// range or a string; and warnings, because a store that did not answer makes a value too small,
// unless they are accepted. Notes on the query are no warnings.
//
// Errors: kCorrupt: not an answer of that API. kNotFound: no element. kInvalid: the other cases
// above, and the source's own error. kUnavailable: warnings.
#pragma once

#include <string_view>

#include "api/base/result.h"
#include "api/decision/snapshot.h"

namespace ballast::sources {

enum class OnWarning { kRefuse, kAccept };

// A list with that one value, in thousandths, rounded to the nearest.
Result<engine::MetricValueList> ReadPrometheusAnswer(std::string_view body, OnWarning on_warning);

// Whether that answer, an error of that kind, is about the query alone: it is from the API itself,
// and not from a proxy in front of it, and blames the query, or the time that it took.
bool BlamesQuery(Code code, std::string_view body);

}  // namespace ballast::sources
