#include "store/testing/earlier_ledger.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "store/sqlite/sqlite.h"

namespace ballast::store::testing {

Status MakeEarlierLedger(std::int64_t schema, const std::string& path) {
  const char* folder = std::getenv("BALLAST_TEST_DATA");
  const std::string name = "schema-" + std::to_string(schema) + ".sql";
  std::ifstream file(std::filesystem::path(folder == nullptr ? "." : folder) / name);
  const std::string sql{std::istreambuf_iterator<char>(file), {}};
  if (sql.empty()) {
    return Error{Code::kNotFound, "there is no " + name};
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<Database> database, Database::Open(path, Access::kWrite));
  return database->Execute(sql);
}

}  // namespace ballast::store::testing
