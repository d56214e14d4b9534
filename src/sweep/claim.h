// The right to add points to a store, which one process at a time has.
#pragma once

#include <string>

namespace foreflow::sweep {

// An advisory lock on a file (flock), beside those that SQLite takes for the time of a transaction. It goes with the
// process that holds it, however that ends.
class Claim {
 public:
  // Opens the file, or creates it; an empty path needs no lock. A file that cannot be opened is SQLite's to complain
  // of.
  explicit Claim(const std::string& path);
  Claim(const Claim&)            = delete;
  Claim& operator=(const Claim&) = delete;
  ~Claim();

  // False when another process has the lock and keeps it for longer than a process needs to end.
  bool take() const;

 private:
  int descriptor_ = -1;
};

}  // namespace foreflow::sweep
