// For tests of the commands that read the ledger: evaluations recorded as the operator records
// them, and commands run with their output caught.
//
// Thread-safety: one thread at a time. For tests only.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "operator/cli/command.h"
#include "operator/engine/testing/test_snapshot.h"
#include "store/ledger.h"
#include "store/testing/test_store.h"

namespace ballast::cli::testing {

// So many seconds after noon, 2026-03-04T12:00:00Z.
Time After(std::int64_t seconds);

// The policy shop/web with so many replicas and a queue of `queue` (10 a pod is the target), at a
// moment; evaluated every 15 s, the sample taken 5 s before.
engine::Snapshot WebAt(std::int64_t seconds, std::int32_t replicas, const std::string& queue);

// One autoscaler's life in a ledger.
class Life {
 public:
  explicit Life(store::Ledger& ledger) : ledger_(ledger) {}

  // Evaluates, carrying the memory along, and records; a write of the scale ends as `outcome` says.
  engine::Conclusion Evaluate(engine::Snapshot snapshot,
                              engine::Outcome outcome = {engine::Outcome::Kind::kWritten, ""});

 private:
  store::Ledger& ledger_;
  engine::Memory memory_;
  std::optional<Time> last_;
};

// What a command printed and how it ended.
struct Answer {
  ExitStatus status = ExitStatus::kDone;
  std::string out;
  std::string error;
};

// Runs the subcommand that `add` adds, with these arguments after its name.
using AddCommand = void (*)(CLI::App&, ExitStatus&);
Answer Run(AddCommand add, std::vector<std::string> arguments);

// A ledger, and the life of shop/web in it.
class RecordsTest : public ::testing::Test {
 protected:
  RecordsTest();

  // Runs a subcommand on what is recorded, with times in UTC.
  Answer Ask(AddCommand add, std::vector<std::string> arguments);

  const store::testing::Folder folder_;
  const std::string path_ = folder_.Path("db");
  std::unique_ptr<store::Ledger> ledger_;
  Life web_;
};

}  // namespace ballast::cli::testing
