// INVARIANT(condition): what a state machine checks of its own state at each of its edges.
//
// It costs a comparison or two, so it is in every build; what costs more is an assert.
//
// Errors: a broken one ends the process where assertions are on. Elsewhere it is a
// std::logic_error, which ends what was under way, as any defect does. Thread-safety: any thread.
#pragma once

#include <cassert>
#include <stdexcept>

#define INVARIANT(condition)                                         \
  do {                                                               \
    assert(condition);                                               \
    if (!(condition)) {                                              \
      throw std::logic_error("an invariant is broken: " #condition); \
    }                                                                \
  } while (false)
