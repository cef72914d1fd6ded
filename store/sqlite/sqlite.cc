#include "store/sqlite/sqlite.h"

#include <sqlite3.h>

#include <utility>

namespace ballast::store {
namespace {

Code CodeOf(int extended) {
  if (extended == SQLITE_IOERR_CORRUPTFS) {
    return Code::kCorrupt;
  }
  switch (extended & 0xff) {
    case SQLITE_FULL:
      return Code::kFull;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Code::kCorrupt;
    case SQLITE_BUSY:
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
    case SQLITE_LOCKED:
    case SQLITE_NOMEM:
    case SQLITE_PERM:
    case SQLITE_PROTOCOL:
    case SQLITE_READONLY:
      return Code::kUnavailable;
    default:
      return Code::kInternal;
  }
}

// For every connection. mmap_size is 0, since an I/O error in a memory map is a SIGBUS.
constexpr char kEveryConnection[] =
    "PRAGMA trusted_schema = OFF;"
    "PRAGMA cell_size_check = ON;"
    "PRAGMA foreign_keys = ON;"
    "PRAGMA mmap_size = 0;"
    "PRAGMA temp_store = MEMORY;";

// auto_vacuum must come before the first table. synchronous = FULL: a commit is on disk when it
// returns; sharing commits makes that affordable. secure_delete, which is on in Debian's build,
// would only double the writes of deletions.
constexpr char kWriter[] =
    "PRAGMA cache_size = -2000;"
    "PRAGMA auto_vacuum = INCREMENTAL;"
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = FULL;"
    "PRAGMA secure_delete = OFF;"
    "PRAGMA journal_size_limit = 16777216;";

// A reader needs most pages once, so a small cache that is reused is faster than a large one.
constexpr char kReader[] = "PRAGMA cache_size = -500;";

// Set before the first access to the file.
constexpr char kExclusive[] = "PRAGMA locking_mode = EXCLUSIVE;";

constexpr int kBusyTimeoutMillis = 5'000;

// The path as a URI, since only that can have the parameter `immutable`.
std::string ImmutableUri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    switch (c) {
      case '%':
        uri += "%25";
        break;
      case '?':
        uri += "%3f";
        break;
      case '#':
        uri += "%23";
        break;
      default:
        uri += c;
    }
  }
  return uri + "?immutable=1";
}

}  // namespace

Statement::Statement(Database* owner, const char* sql, sqlite3_stmt* statement)
    : owner_(owner), sql_(sql), statement_(statement) {}

Statement::Statement(Statement&& other) noexcept
    : owner_(other.owner_),
      sql_(other.sql_),
      statement_(std::exchange(other.statement_, nullptr)) {}

Statement::~Statement() {
  if (statement_ == nullptr) {
    return;
  }
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
  if (!owner_->idle_.emplace(sql_, statement_).second) {
    sqlite3_finalize(statement_);
  }
}

// Binding fails only for an index that is out of range (then Step yields nothing useful and a test
// fails) or when there is no memory left.
void Statement::BindOne(int index, std::int64_t value) {
  sqlite3_bind_int64(statement_, index, value);
}

void Statement::BindOne(int index, std::string_view text) {
  sqlite3_bind_text64(statement_, index, text.data() == nullptr ? "" : text.data(), text.size(),
                      SQLITE_STATIC, SQLITE_UTF8);
}

void Statement::BindOne(int index, const Bytes& bytes) {
  sqlite3_bind_blob64(statement_, index, bytes.data.data(), bytes.data.size(), SQLITE_STATIC);
}

void Statement::BindOne(int index, std::nullptr_t) { sqlite3_bind_null(statement_, index); }

Result<bool> Statement::Step() {
  switch (sqlite3_step(statement_)) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      return owner_->LastError();
  }
}

bool Statement::IsNull(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t Statement::Integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::int32_t Statement::Integer32(int column) const {
  return static_cast<std::int32_t>(Integer(column));
}

Time Statement::Moment(int column) const { return Time::FromUnixNanoseconds(Integer(column)); }

std::optional<Time> Statement::OptionalMoment(int column) const {
  return IsNull(column) ? std::nullopt : std::optional(Moment(column));
}

std::string_view Statement::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return {text == nullptr ? "" : text,
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::string_view Statement::Blob(int column) const {
  const auto* blob = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  return {blob == nullptr ? "" : blob,
          static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

Result<std::unique_ptr<Database>> Database::Open(const std::string& path, Access access) {
  const bool write = access == Access::kWrite;
  const bool alone = access == Access::kAlone;
  const bool immutable = access == Access::kImmutable;
  const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_PRIVATECACHE |
                    (immutable ? SQLITE_OPEN_URI : 0) |
                    (alone || write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) |
                    (write ? SQLITE_OPEN_CREATE : 0);
  sqlite3* handle = nullptr;
  const int opened =
      sqlite3_open_v2((immutable ? ImmutableUri(path) : path).c_str(), &handle, flags, nullptr);
  if (handle == nullptr) {
    return Error{Code::kUnavailable, path + ": " + sqlite3_errstr(opened)};
  }
  std::unique_ptr<Database> database(new Database(handle));
  if (opened != SQLITE_OK) {
    return database->LastError().In(path);
  }
  sqlite3_busy_timeout(handle, kBusyTimeoutMillis);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  if (alone) {
    // Otherwise closing it would checkpoint, which writes.
    sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    TRY(database->Execute(kExclusive));
  }
  for (const char* pragmas : {kEveryConnection, write ? kWriter : kReader}) {
    if (auto set = database->Execute(pragmas); !set.ok()) {
      return set.error().In(path);
    }
  }
  return database;
}

Database::~Database() {
  for (const auto& [sql, statement] : idle_) {
    sqlite3_finalize(statement);
  }
  sqlite3_close_v2(handle_);
}

Status Database::Execute(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return LastError();
  }
  return Done{};
}

Result<Statement> Database::Prepare(const char* sql) {
  if (const auto idle = idle_.find(sql); idle != idle_.end()) {
    sqlite3_stmt* statement = idle->second;
    idle_.erase(idle);
    return Statement(this, sql, statement);
  }
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) !=
      SQLITE_OK) {
    return LastError();
  }
  return Statement(this, sql, statement);
}

Status Database::Finish(Statement& statement) {
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, statement.Step());
    if (!row) {
      return Done{};
    }
  }
}

Result<Statement> Database::First(const char* sql) {
  ASSIGN_OR_RETURN(Statement statement, Prepare(sql));
  ASSIGN_OR_RETURN(const bool row, statement.Step());
  if (!row) {
    return Error{Code::kCorrupt, std::string(sql) + ": no row"};
  }
  return statement;
}

Result<std::int64_t> Database::Integer(const char* sql) {
  ASSIGN_OR_RETURN(const Statement row, First(sql));
  return row.Integer(0);
}

Result<std::string> Database::Text(const char* sql) {
  ASSIGN_OR_RETURN(const Statement row, First(sql));
  return std::string(row.Text(0));
}

Error Database::LastError() const {
  return {CodeOf(sqlite3_extended_errcode(handle_)), sqlite3_errmsg(handle_)};
}

Result<Transaction> Transaction::Begin(Database& database) {
  // IMMEDIATE: a deferred transaction that begins to write later may get SQLITE_BUSY at once,
  // without the busy timeout.
  TRY(database.Run("BEGIN IMMEDIATE"));
  return Transaction(&database);
}

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

Transaction::~Transaction() {
  if (database_ != nullptr) {
    // Fails if SQLite has already rolled back by itself (full disk), which is just as good.
    (void)database_->Run("ROLLBACK");
  }
}

Status Transaction::Commit() {
  TRY(database_->Run("COMMIT"));
  database_ = nullptr;
  return Done{};
}

Result<Savepoint> Savepoint::Begin(Database& database) {
  TRY(database.Run("SAVEPOINT part"));
  return Savepoint(&database);
}

Savepoint::Savepoint(Savepoint&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

Savepoint::~Savepoint() {
  if (database_ != nullptr) {
    // Fails if SQLite has rolled back the whole transaction, and this with it.
    (void)database_->Run("ROLLBACK TO part");
    (void)database_->Run("RELEASE part");
  }
}

Status Savepoint::Keep() {
  TRY(database_->Run("RELEASE part"));
  database_ = nullptr;
  return Done{};
}

// These settings do not access the file, so they cannot fail.
}  // namespace ballast::store
