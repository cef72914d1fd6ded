#include "store/sqlite/reach.h"

#include <string>

namespace ballast::store {
namespace {

// Every evaluation is in a series: this is right as long as retention has deleted nothing.
Result<std::optional<Reach>> ReadOldest(Database& database) {
  ASSIGN_OR_RETURN(Statement rows, database.Prepare("SELECT time FROM series ORDER BY id LIMIT 1"));
  return rows.One<Reach>([](const Statement& row) -> Result<Reach> {
    return Reach{row.Moment(0), false, ""};
  });
}

}  // namespace

Result<std::optional<Reach>> ReadReach(Database& database, std::string_view name_space) {
  ASSIGN_OR_RETURN(Statement rows,
                   database.Prepare("SELECT since, name FROM namespaces WHERE since IS NOT NULL"
                                    " AND (?1 = '' OR name = ?1) ORDER BY since DESC LIMIT 1"));
  rows.Bind(name_space);
  ASSIGN_OR_RETURN(auto least, rows.One<Reach>([](const Statement& row) -> Result<Reach> {
    return Reach{row.Moment(0), true, std::string(row.Text(1))};
  }));
  if (least) {
    return least;
  }
  return ReadOldest(database);
}

}  // namespace ballast::store
