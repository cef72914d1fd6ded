// The fence around a call whose answer may meet a defect: it ends that call, not the program.
//
// Thread-safety: the call's.
#pragma once

#include <exception>

#include "api/base/result.h"

namespace ballast::runtime {

// What `call` returns, a Result; kInternal if it throws.
template <typename Call>
auto Guarded(const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::exception& defect) {
    return Error{Code::kInternal, defect.what()};
  }
}

}  // namespace ballast::runtime
