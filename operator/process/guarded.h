// Guards a call whose answer may trigger a defect: an exception ends that call, not the program.
//
// Thread-safety: the call's.
// Errors: the call's, and kInternal for a std::exception.
#pragma once

#include <exception>

#include "api/base/result.h"

namespace ballast::process {

// Returns what `call` returns, a Result or Status; kInternal if it throws a std::exception.
template <typename Call>
auto Guarded(const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::exception& defect) {
    return Error{Code::kInternal, defect.what()};
  }
}

}  // namespace ballast::process
