// The finished points of one sweep, in an SQLite file:
//
//   about(name, value)             format, version, scenario_hash, scenario: what the points are points of
//   points(point, status, answer)  point: the axes' values, {"platform.nodes":2,"strategy.tp":4}, sorted by path;
//                                  status: "done" with the answer as JSON, or "failed" with the reason
#pragma once

#include <map>
#include <string>

#include "sweep/claim.h"
#include "sweep/database.h"

namespace foreflow::sweep {

struct Identity {
  std::string version;
  std::string hash;
  std::string scenario;  // for people
};

struct Record {
  std::string status;
  std::string answer;
};

class Store {
 public:
  // Opens the file, or creates it. Throws Error(path, ...): no store, a damaged one, or a store of something else.
  Store(const std::string& path, const Identity& identity);

  // Makes this process the only one that adds points, until the store is closed; others may read. Throws Error(path)
  // when another process is that one.
  void claim();

  // The points that are there already, by name.
  std::map<std::string, Record> finished();

  // When it returns, a killed process does not lose the record.
  void put(const std::string& point, const Record& record);

 private:
  bool is_empty();
  void create(const Identity& identity);
  void check(const Identity& identity);
  std::string about(std::string_view name);

  std::string path_;
  Claim claim_;  // stands first: to close any descriptor of a file drops SQLite's own locks on it
  Database database_;
};

}  // namespace foreflow::sweep
