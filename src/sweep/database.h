// SQLite as far as the store needs it.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace foreflow::sweep {

// An open database, held alone: no other process can open it until it is closed. It outlives a kill at any moment with
// everything that was committed.
class Database {
 public:
  // An empty path: a database that is gone when it is closed. Throws Error(path), as every function here does.
  explicit Database(const std::string& path);

  using Row = std::vector<std::string>;

  // Runs one statement with text for its `?`, and returns its rows.
  std::vector<Row> run(std::string_view sql, const std::vector<std::string_view>& values = {});

 private:
  [[noreturn]] void fail(int code) const;

  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace foreflow::sweep
