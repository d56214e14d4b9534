#include "sweep/database.h"

#include "foreflow/base/error.h"

namespace foreflow::sweep {
namespace {

constexpr int kPatience = 1000;  // milliseconds, for a process that is about to end

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

std::string column(sqlite3_stmt* statement, int number) {
  const unsigned char* text = sqlite3_column_text(statement, number);
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

}  // namespace

Database::Database(const std::string& path) : path_(path) {
  sqlite3* handle = nullptr;
  const int code  = sqlite3_open_v2(path.empty() ? ":memory:" : path.c_str(), &handle,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(code);
  sqlite3_busy_timeout(handle, kPatience);
  // A log without shared memory, which works on network file systems too. A commit is in the file when it returns, and
  // thus outlives the process; it outlives a loss of power from the next checkpoint on.
  run("PRAGMA locking_mode = EXCLUSIVE");
  run("PRAGMA journal_mode = WAL");
  run("PRAGMA synchronous = NORMAL");
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
    case SQLITE_NOTADB: throw Error(path_, "is no SQLite file; give another --store");
    case SQLITE_CANTOPEN: throw Error(path_, "cannot be opened; give a --store in a folder that can be written to");
    default: throw Error(path_, std::string("SQLite says: ") + sqlite3_errmsg(handle_.get()));
  }
}

}  // namespace foreflow::sweep
