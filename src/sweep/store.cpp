#include "sweep/store.h"

#include "foreflow/base/error.h"

namespace foreflow::sweep {
namespace {

constexpr std::string_view kFormat = "foreflow sweep 1";
constexpr size_t kShown            = 12;  // digits of a hash, enough to tell two apart

}  // namespace

Store::Store(const std::string& path, const Identity& identity) : path_(path), claim_(path), database_(path) {
  if (is_empty()) {
    database_.run("BEGIN IMMEDIATE");
    if (is_empty()) create(identity);  // another process may have been faster
    database_.run("COMMIT");
  }
  database_.check();
  check(identity);
}

bool Store::is_empty() { return database_.run("SELECT name FROM sqlite_master").empty(); }

void Store::claim() {
  if (!claim_.take())
    throw Error(path_, "is in use by another sweep; wait until that has ended, or give another --store");
}

void Store::create(const Identity& identity) {
  database_.run("CREATE TABLE about(name TEXT PRIMARY KEY, value TEXT NOT NULL)");
  database_.run("CREATE TABLE points(point TEXT PRIMARY KEY, status TEXT NOT NULL, answer TEXT NOT NULL)");
  constexpr std::string_view kInsert = "INSERT INTO about VALUES(?, ?)";
  database_.run(kInsert, {"format", kFormat});
  database_.run(kInsert, {"version", identity.version});
  database_.run(kInsert, {"scenario_hash", identity.hash});
  database_.run(kInsert, {"scenario", identity.scenario});
}

void Store::check(const Identity& identity) {
  const auto tables =
      database_.run("SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('about', 'points')");
  if (tables.size() != 2 || about("format") != kFormat)
    throw Error(path_, "is an SQLite file of something else; give another --store");
  const std::string version = about("version"), hash = about("scenario_hash");
  if (version != identity.version) {
    throw Error(path_, "holds a sweep by foreflow " + version + ", this is " + identity.version +
                           "; give another --store, or remove it to start anew");
  }
  if (hash != identity.hash) {
    throw Error(path_, "holds a sweep of another scenario (" + hash.substr(0, kShown) + ", not " +
                           identity.hash.substr(0, kShown) + "); give another --store, or remove it to start anew");
  }
}

std::string Store::about(std::string_view name) {
  const auto rows = database_.run("SELECT value FROM about WHERE name = ?", {name});
  return rows.empty() ? "" : rows[0][0];
}

std::map<std::string, Record> Store::finished() {
  std::map<std::string, Record> records;
  for (Database::Row& row : database_.run("SELECT point, status, answer FROM points"))
    records.emplace(std::move(row[0]), Record{std::move(row[1]), std::move(row[2])});
  return records;
}

void Store::put(const std::string& point, const Record& record) {
  database_.run("INSERT INTO points VALUES(?, ?, ?)", {point, record.status, record.answer});
}

}  // namespace foreflow::sweep
