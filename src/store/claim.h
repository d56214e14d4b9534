// The right to add points to a store, held by one process at a time.
#pragma once

#include <string>

namespace foreflow::store {

// An advisory lock on a file (flock), beside those that SQLite takes for the time of a transaction. It is released when
// its process ends, however that happens.
class Claim {
 public:
  // Opens the file, or creates it; an empty path needs no lock. If the file cannot be opened, SQLite reports the error.
  explicit Claim(const std::string& path);
  Claim(const Claim&)            = delete;
  Claim& operator=(const Claim&) = delete;
  ~Claim();

  // False when another process has the lock and keeps it for longer than a process needs to end.
  bool take() const;

 private:
  int descriptor_ = -1;
};

}  // namespace foreflow::store
