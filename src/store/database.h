// The part of SQLite that the store needs.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace foreflow::store {

// An open database. Other processes may read it meanwhile, and write between the transactions of this one. It outlives
// a kill at any moment with everything that was committed.
class Database {
 public:
  // An empty path: a database that is gone when it is closed. Throws Error(path), as every function here does.
  explicit Database(const std::string& path);

  using Row = std::vector<std::string>;

  // Throws Error unless the file is whole, as far as SQLite can tell.
  void check();

  // Runs one statement with text for its `?`, and returns its rows.
  std::vector<Row> run(std::string_view sql, const std::vector<std::string_view>& values = {});

 private:
  void open_log();
  [[noreturn]] void fail(int code) const;

  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace foreflow::store
