// One run of a seed, in a process of its own, so that a crash is a finding like any other, and
// nothing is left over from one run to the next.
//
// Thread-safety: one thread.
// Errors: what breaks in the run is in its outcome; without a process the program ends.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/faults/world.h"

namespace ballast::faults {

// Of many runs together.
struct Totals {
  std::uint64_t runs = 0;
  double hours = 0;  // simulated
  std::int64_t applied = 0;
  std::int64_t replayed = 0;
  std::int64_t asked = 0;
  std::map<std::string, std::map<std::string, std::uint64_t>> coverage;  // by fault, by phase
};

struct Outcome {
  std::string invariant;  // empty: none was broken
  std::string what;       // was broken
  std::string text;       // for people: all that there is to say
  Totals totals;
  double failed_at = 0;                         // seconds after the start
  std::map<std::string, std::uint64_t> events;  // by kind
};

// The process ends without an outcome after so many seconds; 0: never.
Outcome Run(const WorldOptions& options, double at_most = 0);

// The command that repeats a run.
std::string CommandOf(const WorldOptions& options);

// With commas.
std::string Join(const std::vector<std::string>& words);

// Ends the program without its fibers' and the heap's clean-up.
[[noreturn]] void Exit(int status);

}  // namespace ballast::faults
