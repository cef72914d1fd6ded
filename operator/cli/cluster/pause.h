// What `ballast pause` and `ballast resume` ask of the API server (pause_annotation.h has the
// annotations).
//
// Thread-safety: pure functions that read the process's time zone.
// Errors: ParsePauseEnd: kInvalid; the others none.
#pragma once

#include <string>

#include "api/autoscaling/pause_annotation.h"
#include "api/base/result.h"
#include "api/base/time.h"

namespace ballast::cli {

// A span after `now` ("2h"), or a time as ParseMoment reads it. kInvalid: neither, or not in the
// future.
Result<Time> ParsePauseEnd(const std::string& text, Time now);

// Merge patches. `only`: "in", "out" or empty. `by`: empty if it is not known.
std::string PausePatch(Time until, const std::string& only, const std::string& by,
                       const std::string& reason);
std::string ResumePatch();

}  // namespace ballast::cli
