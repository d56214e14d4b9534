// Answers to the points of one question, in an SQLite file that outlives a kill at any moment:
//
//   about(name, value)             format, version, scenario_hash, scenario: the question
//   points(point, status, answer)  point: its name; status: "done" or another word of the caller; answer: text
//
// Does not interpret points and answers.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace foreflow::store {

struct Identity {
  std::string kind;      // who asks, in a word: "sweep", "search"; a store of one kind is refused for another
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
  // Opens or creates the file; an empty path keeps records in memory only. Throws Error(path, ...) if the file is not a
  // store, is damaged, or belongs to another question.
  Store(const std::string& path, const Identity& identity);
  Store(const Store&)            = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  // Makes this process the only writer until the store is closed; others may read. Throws Error(path) if another
  // process is the writer.
  void claim();

  // The stored points, by name.
  std::map<std::string, Record> finished();

  // Stores a record durably: it survives if the process is killed after this returns.
  void put(const std::string& point, const Record& record);

  // Throws Error naming the store and the point, whose record is wrong as `what` says. For callers that read answers: a
  // store is a file, and may have been damaged or edited.
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
