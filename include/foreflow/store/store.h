// Answers to the points of one question, in an SQLite file that outlives a kill at any moment:
//
//   about(name, value)             format, version, scenario_hash, scenario: what the points are points of
//   points(point, status, answer)  point: its name; status: "done", or another word of those who ask; answer: text
//
// Knows nothing of what points and answers mean.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace foreflow::store {

struct Identity {
  std::string kind;      // what asks, in a word: "sweep", "search"; a store of one kind is no store of another
  std::string version;   // of foreflow
  std::string hash;      // of the question
  std::string scenario;  // for people
};

struct Record {
  std::string status;
  std::string answer;
};

class Store {
 public:
  // Opens the file, or creates it; an empty path keeps records in memory only. Throws Error(path, ...): no store, a
  // damaged one, or a store of something else.
  Store(const std::string& path, const Identity& identity);
  Store(const Store&)            = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  // Makes this process the only one that adds points, until the store is closed; others may read. Throws Error(path)
  // when another process is that one.
  void claim();

  // The points that are there already, by name.
  std::map<std::string, Record> finished();

  // When it returns, a killed process does not lose the record.
  void put(const std::string& point, const Record& record);

  // Throws Error that names the store and the point: `what` is wrong with its record. For callers that read answers, as
  // a store is a file and may have been damaged or edited.
  [[noreturn]] void fail(const std::string& point, const std::string& what) const;

 private:
  struct Open;

  bool is_empty();
  void create(const Identity& identity);
  void check(const Identity& identity);
  std::string about(std::string_view name);

  std::string path_, kind_;
  std::unique_ptr<Open> open_;
};

}  // namespace foreflow::store
