#include "foreflow/store/store.h"

#include "foreflow/base/error.h"
#include "foreflow/base/json.h"
#include "store/claim.h"
#include "store/database.h"

namespace foreflow::store {
namespace {

constexpr size_t kShown = 12;  // digits of a hash, enough to tell two apart

std::string format_of(const std::string& kind) { return "foreflow " + kind + " 1"; }

}  // namespace

struct Store::Open {
  explicit Open(const std::string& path) : claim(path), database(path) {}

  Claim claim;  // stands first: to close any descriptor of a file drops SQLite's own locks on it
  Database database;
};

Store::Store(const std::string& path, const Identity& identity)
    : path_(path), kind_(identity.kind), open_(std::make_unique<Open>(path)) {
  if (is_empty()) {
    open_->database.run("BEGIN IMMEDIATE");
    if (is_empty()) create(identity);  // another process may have been faster
    open_->database.run("COMMIT");
  }
  open_->database.check();
  check(identity);
}

Store::~Store() = default;

bool Store::is_empty() { return open_->database.run("SELECT name FROM sqlite_master").empty(); }

void Store::claim() {
  if (!open_->claim.take())
    throw Error(path_, "is in use by another " + kind_ + "; wait until that has ended, or give another --store");
}

void Store::create(const Identity& identity) {
  Database& database = open_->database;
  database.run("CREATE TABLE about(name TEXT PRIMARY KEY, value TEXT NOT NULL)");
  database.run("CREATE TABLE points(point TEXT PRIMARY KEY, status TEXT NOT NULL, answer TEXT NOT NULL)");
  constexpr std::string_view kInsert = "INSERT INTO about VALUES(?, ?)";
  database.run(kInsert, {"format", format_of(identity.kind)});
  database.run(kInsert, {"version", identity.version});
  database.run(kInsert, {"scenario_hash", identity.hash});
  database.run(kInsert, {"scenario", identity.scenario});
}

void Store::check(const Identity& identity) {
  const auto tables =
      open_->database.run("SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('about', 'points')");
  if (tables.size() != 2 || about("format") != format_of(kind_))
    throw Error(path_, "is an SQLite file of something else; give another --store");
  const std::string version = about("version"), hash = about("scenario_hash");
  if (version != identity.version) {
    throw Error(path_, "holds a " + kind_ + " by foreflow " + version + ", this is " + identity.version +
                           "; give another --store, or remove it to start anew");
  }
  if (hash != identity.hash) {
    throw Error(path_, "holds a " + kind_ + " of another scenario (" + hash.substr(0, kShown) + ", not " +
                           identity.hash.substr(0, kShown) + "); give another --store, or remove it to start anew");
  }
}

std::string Store::about(std::string_view name) {
  const auto rows = open_->database.run("SELECT value FROM about WHERE name = ?", {name});
  return rows.empty() ? "" : rows[0][0];
}

std::map<std::string, Record> Store::finished() {
  std::map<std::string, Record> records;
  for (Database::Row& row : open_->database.run("SELECT point, status, answer FROM points"))
    records.emplace(std::move(row[0]), Record{std::move(row[1]), std::move(row[2])});
  return records;
}

void Store::put(const std::string& point, const Record& record) {
  open_->database.run("INSERT INTO points VALUES(?, ?, ?)", {point, record.status, record.answer});
}

void Store::fail(const std::string& point, const std::string& what) const {
  throw Error(path_ + ": point " + Json(point).dump_compact(),
              what + "; the store is damaged: restore a copy, or delete that row of its table points");
}

}  // namespace foreflow::store
