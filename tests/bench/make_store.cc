// make_store FILE ROWS: makes a ledger as it is after weeks of many policies, for measuring
// queries.
//
// 5,000 policies decide in turn. All rows are as the operator writes them, but without snapshots,
// except for the newest ones of shop/web-42, which the ledger itself records.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "api/decision/snapshot_json.h"
#include "store/sqlite/sqlite.h"
#include "store/testing/open_ledger.h"
#include "tests/bench/snapshots.h"

namespace ballast::bench {
namespace {

constexpr std::int64_t kPolicies = 5'000;

// A run of ten minutes for each policy in turn, so that one policy's rows lie as far apart as in a
// real file.
constexpr char kFill[] = R"sql(
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA temp_store = FILE;
PRAGMA cache_size = -65536;
WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n + 1 < %POLICIES%)
INSERT INTO autoscalers (id, uid, kind, namespace, name, period)
SELECT n + 1, 'uid-' || n, 'AutoScalePolicy', 'shop', 'web-' || n, 15000000000 FROM i;
WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n + 1 < %ROWS%)
INSERT INTO decisions (id, autoscaler, time, until, evaluations, current, desired, reason, message,
                       outcome, made_by, engine)
SELECT n + 1, n % %POLICIES% + 1, %END% - (%ROWS% - n) * 120000000,
       %END% - (%ROWS% - n) * 120000000 + 585000000000, 40, 5, 5 + n / %POLICIES% % 2,
       'ReadyForNewScale', 'recommended size matches current size',
       iif(n / %POLICIES% % 2, 'written', 'none'),
       iif(n / %POLICIES% % 2, 'attempted', 'evaluated'), 1 FROM i;
)sql";

std::string Filled(std::string sql, const std::string& name, std::int64_t value) {
  for (auto at = sql.find(name); at != std::string::npos; at = sql.find(name)) {
    sql.replace(at, name.size(), std::to_string(value));
  }
  return sql;
}

store::EvaluationRecord Record(const engine::Snapshot& snapshot) {
  return {.subject = {"uid-42", "AutoScalePolicy", {"shop", "web-42"}},
          .time = snapshot.now,
          .current_replicas = 10,
          .desired_replicas = 12,
          .reason = "ReadyForNewScale",
          .message = "cpu resource utilization (percentage of request) above target",
          .snapshot = &snapshot};
}

Status Make(const std::string& path, std::int64_t rows) {
  const Time end = engine::testing::kNow;
  { TRY(store::testing::OpenLedger(path)); }  // creates the tables
  {
    ASSIGN_OR_RETURN(const auto database, store::Database::Open(path, store::Access::kWrite));
    std::string sql = Filled(kFill, "%POLICIES%", kPolicies);
    sql = Filled(Filled(sql, "%ROWS%", rows), "%END%", end.unix_nanoseconds());
    TRY(database->Execute(sql));
    TRY(database->Execute("PRAGMA journal_mode = WAL"));
  }
  ASSIGN_OR_RETURN(const auto ledger, store::testing::OpenLedger(path));
  for (engine::Snapshot snapshot : SimpleSnapshots(3)) {
    snapshot.autoscaler.kind = api::kPolicyKind;
    TRY(ledger->AppendDurably(store::Intended{Record(snapshot)}).durable);
  }
  return Done{};
}

}  // namespace
}  // namespace ballast::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "make_store FILE ROWS\n");
    return 2;
  }
  const auto made = ballast::bench::Make(argv[1], std::atoll(argv[2]));
  if (!made.ok()) {
    std::fprintf(stderr, "make_store: %s\n", made.error().message.c_str());
    return 1;
  }
  return 0;
}
