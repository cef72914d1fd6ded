#include "store/sqlite/reach.h"

namespace ballast::store {

// Every evaluation is in a series, and thinning.cc deletes no run that ended after the oldest one
// began. Their ids begin with 1 and grow.
Result<std::optional<Reach>> ReadReach(Database& database) {
  ASSIGN_OR_RETURN(Statement rows,
                   database.Prepare("SELECT time, id FROM series ORDER BY id LIMIT 1"));
  return rows.One<Reach>([](const Statement& row) -> Result<Reach> {
    return Reach{row.Moment(0), row.Integer(1) > 1};
  });
}

}  // namespace ballast::store
