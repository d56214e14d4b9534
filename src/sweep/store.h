// The finished points of one sweep, in an SQLite file:
//
//   about(name, value)             format, version, scenario_hash, scenario: what the points are points of
//   points(point, status, answer)  point: the axes' values, {"platform.nodes":2,"strategy.tp":4}, sorted by path;
//                                  status: "done" with the answer as JSON, or "failed" with the reason
#pragma once

#include <map>
#include <string>

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
  // Opens the file, or creates it. Throws Error(path, ...): in use, no store, or a store of something else.
  Store(const std::string& path, const Identity& identity);

  // What is there already, by point.
  std::map<std::string, Record> finished();

  // When it returns, a killed process does not lose the record.
  void put(const std::string& point, const Record& record);

 private:
  void create(const Identity& identity);
  void check(const Identity& identity);
  std::string about(std::string_view name);

  std::string path_;
  Database database_;
};

}  // namespace foreflow::sweep
