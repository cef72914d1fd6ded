// SQLite for the store: connection (with its settings: WAL, synchronous, caches), statement and
// transaction, which their destructors close, reset and roll back. The only wrapper of sqlite3.h.
//
//   ASSIGN_OR_RETURN(const auto db, Database::Open(path, Access::kWrite));
//   ASSIGN_OR_RETURN(Statement names, db->Prepare("SELECT name FROM autoscalers WHERE id > ?"));
//   names.Bind(7);
//   ASSIGN_OR_RETURN(const bool row, names.Step());
//
// There must be at most one kWrite connection to a file in the whole system: SQLite before 3.51.3
// can damage a WAL when two connections write or checkpoint at the same time. (A kRead connection
// does neither.)
//
// Thread-safety: a connection and everything made from it: one thread at a time.
// Errors: kFull (no space, or the file's size limit), kCorrupt (damaged, or no database),
// kUnavailable (failing disk, no permission, no such folder, no memory, busy for more than 5 s),
// kInternal (anything else: a defect).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/base/result.h"
#include "api/base/time.h"

struct sqlite3;
struct sqlite3_stmt;

namespace ballast::store {

enum class Access {
  kRead,       // never changes the file; sees what the writer commits
  kImmutable,  // for a copy in a folder without write permission: ignores the -wal
  // Reads the -wal that a crash left without creating a -shm, for which a full disk has no space.
  // The caller must keep all writers away; while it is open others can neither read nor write.
  kAlone,
  kWrite,  // creates the file if there is none
};

class Database;

// A prepared statement, borrowed from its Database, which caches it again after destruction.
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  // Binds all parameters in order; text and blobs must live until the statement has run.
  template <typename... Args>
  void Bind(const Args&... args) {
    int index = 0;
    (BindOne(++index, args), ...);
  }

  // Advances to the next row. False: there is none.
  Result<bool> Step();

  // Calls `visit(*this)` for each remaining row, until it returns an error.
  template <typename Visit>
  Status ForEach(Visit visit) {
    for (;;) {
      ASSIGN_OR_RETURN(const bool row, Step());
      if (!row) {
        return Done{};
      }
      TRY(visit(*this));
    }
  }

  // Collects the value of `read(*this)`, a Result<T>, for each remaining row.
  template <typename T, typename Read>
  Result<std::vector<T>> All(Read read) {
    std::vector<T> values;
    TRY(ForEach([&](const Statement& row) -> Status {
      ASSIGN_OR_RETURN(T value, read(row));
      values.push_back(std::move(value));
      return Done{};
    }));
    return values;
  }

  // The same for the next row only; nullopt: there is none.
  template <typename T, typename Read>
  Result<std::optional<T>> One(Read read) {
    ASSIGN_OR_RETURN(const bool row, Step());
    if (!row) {
      return std::optional<T>();
    }
    ASSIGN_OR_RETURN(T value, read(*this));
    return std::optional<T>(std::move(value));
  }

  // Columns of the present row, from 0. Text and blobs live until the next Step(). Times are
  // nanoseconds since 1970.
  bool IsNull(int column) const;
  std::int64_t Integer(int column) const;
  std::int32_t Integer32(int column) const;
  Time Moment(int column) const;
  std::optional<Time> OptionalMoment(int column) const;
  std::string_view Text(int column) const;
  std::string_view Blob(int column) const;

 private:
  friend class Database;
  Statement(Database* owner, const char* sql, sqlite3_stmt* statement);

  void BindOne(int index, std::int64_t value);
  void BindOne(int index, Time time) { BindOne(index, time.unix_nanoseconds()); }
  void BindOne(int index, std::string_view text);
  void BindOne(int index, const struct Bytes& bytes);
  void BindOne(int index, std::nullptr_t);
  template <typename T>
  void BindOne(int index, const std::optional<T>& value) {
    value ? BindOne(index, *value) : BindOne(index, nullptr);
  }

  Database* owner_;
  const char* sql_;
  sqlite3_stmt* statement_;
};

// A blob to bind.
struct Bytes {
  std::string_view data;
};

class Database {
 public:
  static Result<std::unique_ptr<Database>> Open(const std::string& path, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Runs one or more statements without parameters.
  Status Execute(const std::string& sql);

  // `sql` must outlive the connection (a literal): its address identifies the cached statement.
  Result<Statement> Prepare(const char* sql);

  // Prepares, binds and runs to the end.
  template <typename... Args>
  Status Run(const char* sql, const Args&... args) {
    ASSIGN_OR_RETURN(Statement statement, Prepare(sql));
    statement.Bind(args...);
    return Finish(statement);
  }

  // The first column of the first row that `sql` yields; kCorrupt: there is none.
  Result<std::int64_t> Integer(const char* sql);
  Result<std::string> Text(const char* sql);

 private:
  friend class Statement;
  explicit Database(sqlite3* handle) : handle_(handle) {}
  static Status Finish(Statement& statement);
  Result<Statement> First(const char* sql);
  Error LastError() const;

  sqlite3* handle_;
  std::unordered_map<const char*, sqlite3_stmt*> idle_;
};

// A transaction that may write (BEGIN IMMEDIATE); rolled back unless committed.
class Transaction {
 public:
  static Result<Transaction> Begin(Database& database);
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  Status Commit();

 private:
  explicit Transaction(Database* database) : database_(database) {}
  Database* database_;
};

// A part of a transaction; rolled back alone unless kept.
class Savepoint {
 public:
  static Result<Savepoint> Begin(Database& database);
  Savepoint(Savepoint&& other) noexcept;
  Savepoint& operator=(Savepoint&&) = delete;
  ~Savepoint();

  Status Keep();

 private:
  explicit Savepoint(Database* database) : database_(database) {}
  Database* database_;
};

}  // namespace ballast::store
