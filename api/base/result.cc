#include "api/base/result.h"

namespace ballast {

const char* Name(Code code) {
  switch (code) {
    case Code::kInvalid:
      return "Invalid";
    case Code::kNotFound:
      return "NotFound";
    case Code::kConflict:
      return "Conflict";
    case Code::kGone:
      return "Gone";
    case Code::kUnauthorized:
      return "Unauthorized";
    case Code::kForbidden:
      return "Forbidden";
    case Code::kThrottled:
      return "Throttled";
    case Code::kTimeout:
      return "Timeout";
    case Code::kUnavailable:
      return "Unavailable";
    case Code::kNotSent:
      return "NotSent";
    case Code::kCorrupt:
      return "Corrupt";
    case Code::kFull:
      return "Full";
    case Code::kInternal:
      return "Internal";
  }
  return "Internal";
}

}  // namespace ballast
