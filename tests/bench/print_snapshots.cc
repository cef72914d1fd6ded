// Prints the snapshots that `ballast decide` is measured with, one a line.
#include <cstdio>

#include "tests/bench/snapshots.h"

int main() {
  for (const auto& snapshot : ballast::bench::SimpleSnapshots(2'000)) {
    std::puts(ballast::bench::Print(snapshot).c_str());
  }
}
