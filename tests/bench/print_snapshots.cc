// Prints the snapshots with which `ballast decide` is measured, one a line.
#include <cstdio>

#include "tests/bench/snapshots.h"

int main() {
  for (const auto& snapshot : ballast::bench::SimpleSnapshots(2'000)) {
    std::puts(ballast::bench::Print(snapshot).c_str());
  }
}
