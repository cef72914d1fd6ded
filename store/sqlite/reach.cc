#include "store/sqlite/reach.h"

#include <string>

namespace ballast::store {
namespace {

// Every evaluation is in a series, of which ids begin with 1 and grow. So this is right as long as
// retention has deleted nothing, or the oldest of all namespaces alike, as it did before schema 2.
Result<std::optional<Reach>> ReadOldest(Database& database) {
  ASSIGN_OR_RETURN(Statement rows,
                   database.Prepare("SELECT time, id FROM series ORDER BY id LIMIT 1"));
  return rows.One<Reach>([](const Statement& row) -> Result<Reach> {
    return Reach{row.Moment(0), row.Integer(1) > 1, ""};
  });
}

}  // namespace

Result<std::optional<Reach>> ReadReach(Database& database, std::string_view name_space) {
  ASSIGN_OR_RETURN(
      const auto counted,
      database.Integer("SELECT count(*) FROM sqlite_schema WHERE name = 'namespaces'"));
  if (counted == 0) {
    return ReadOldest(database);
  }
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
  ASSIGN_OR_RETURN(auto oldest, ReadOldest(database));
  if (oldest) {
    oldest->deleted = false;
  }
  return oldest;
}

}  // namespace ballast::store
