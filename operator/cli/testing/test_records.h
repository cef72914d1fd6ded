// Test support for the subcommands that read the ledger: records evaluations as the operator does,
// and runs subcommands on them.
//
// Thread-safety: one thread at a time.
// Errors: exceptions, for a ledger that cannot be opened and for an invalid command line.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "operator/cli/testing/run.h"
#include "operator/engine/testing/test_snapshot.h"
#include "store/ledger.h"
#include "store/testing/test_store.h"

namespace ballast::cli::testing {

// `seconds` after noon, 2026-03-04T12:00:00Z.
Time After(std::int64_t seconds);

// A snapshot of the policy shop/web at After(seconds) with `replicas` and a queue of `queue`, whose
// target is 10 a pod. The sample is 5 s old; Life assumes a period of 15 s.
engine::Snapshot WebAt(std::int64_t seconds, std::int32_t replicas, const std::string& queue);

// The evaluations of one autoscaler, recorded in a ledger.
class Life {
 public:
  explicit Life(store::Ledger& ledger) : ledger_(ledger) {}

  // Evaluates with the memory of the previous evaluation, and records. A write of the scale, if
  // any, ends with `outcome`.
  engine::Conclusion Evaluate(engine::Snapshot snapshot,
                              engine::Outcome outcome = {engine::Outcome::Kind::kWritten, ""});

 private:
  store::Ledger& ledger_;
  engine::Memory memory_;
  std::optional<Time> last_;
};

// A fixture with a ledger, and the evaluations of shop/web in it.
class RecordsTest : public ::testing::Test {
 protected:
  RecordsTest();

  // Runs a subcommand on the ledger; times are UTC.
  Answer Ask(AddCommand add, std::vector<std::string> arguments);

  const store::testing::Folder folder_;
  const std::string path_ = folder_.Path("db");
  std::unique_ptr<store::Ledger> ledger_;
  Life web_;
};

}  // namespace ballast::cli::testing
