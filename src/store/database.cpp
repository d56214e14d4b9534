#include "store/database.h"

#include <algorithm>
#include <new>

#include "foreflow/base/error.h"

namespace foreflow::store {
namespace {

constexpr int kPatience = 5000;  // milliseconds, for the transaction of another process

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

std::string column(sqlite3_stmt* statement, int number) {
  const unsigned char* text = sqlite3_column_text(statement, number);
  const auto size           = static_cast<size_t>(sqlite3_column_bytes(statement, number));
  return text == nullptr ? "" : std::string(reinterpret_cast<const char*>(text), size);
}

}  // namespace

Database::Database(const std::string& path) : path_(path) {
  sqlite3* handle = nullptr;
  const int code  = sqlite3_open_v2(path.empty() ? ":memory:" : path.c_str(), &handle,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(code);
  sqlite3_busy_timeout(handle, kPatience);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);  // the file may be anybody's
  run("PRAGMA cell_size_check = ON");
  open_log();
  run("PRAGMA synchronous = NORMAL");
}

// With a write-ahead log readers and the writer do not wait for each other. A commit is in the log when it returns, and
// thus outlives the process; it outlives a loss of power from the next checkpoint on. The log's index lies in shared
// memory, which network file systems lack: there the database is held alone.
void Database::open_log() {
  try {
    run("PRAGMA journal_mode = WAL");
    run("SELECT count(*) FROM sqlite_master");
  } catch (const Error&) {
    const int code = sqlite3_extended_errcode(handle_.get());
    if (code != SQLITE_IOERR_SHMOPEN && code != SQLITE_IOERR_SHMMAP && code != SQLITE_IOERR_SHMLOCK) throw;
    run("PRAGMA locking_mode = EXCLUSIVE");
    run("PRAGMA journal_mode = WAL");
  }
}

void Database::check() {
  const std::vector<Row> found = run("PRAGMA integrity_check(1)");
  if (found.size() == 1 && found[0] == Row{"ok"}) return;
  std::string what = found.empty() ? "its integrity check gives no answer" : found[0].at(0);
  std::replace(what.begin(), what.end(), '\n', ' ');
  throw Error(path_, "is damaged: " + what + "; restore a copy, or give another --store");
}

std::vector<Database::Row> Database::run(std::string_view sql, const std::vector<std::string_view>& values) {
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &prepared, nullptr);
  if (code != SQLITE_OK) fail(code);
  const std::unique_ptr<sqlite3_stmt, Finalize> statement(prepared);
  for (size_t i = 0; i < values.size(); ++i) {
    const auto size = static_cast<int>(values[i].size());
    sqlite3_bind_text(prepared, static_cast<int>(i) + 1, values[i].data(), size, SQLITE_STATIC);
  }
  std::vector<Row> rows;
  for (;;) {
    const int step = sqlite3_step(prepared);
    if (step == SQLITE_DONE) return rows;
    if (step != SQLITE_ROW) fail(step);
    Row& row = rows.emplace_back();
    for (int c = 0; c < sqlite3_column_count(prepared); ++c) row.push_back(column(prepared, c));
  }
}

void Database::fail(int code) const {
  switch (code & 0xff) {  // the rest says more than is needed
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Error(path_, "is in use by another process; wait until that has ended, or give another --store");
    case SQLITE_CORRUPT:
      throw Error(path_, std::string("is damaged: ") + sqlite3_errmsg(handle_.get()) +
                             "; restore a copy, or give another --store");
    case SQLITE_NOMEM: throw std::bad_alloc();
    case SQLITE_NOTADB: throw Error(path_, "is no SQLite file; give another --store");
    case SQLITE_CANTOPEN: throw Error(path_, "cannot be opened; give a --store in a folder that can be written to");
    default: throw Error(path_, std::string("SQLite says: ") + sqlite3_errmsg(handle_.get()));
  }
}

}  // namespace foreflow::store
