// Programs that scenarios have in common.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::scenario {

// What one replica does, before it is replicated.
struct ReplicaProgram {
  ir::Module module;
  int shards;  // above 0: the program has the first two of so many shards (transform::two_shards)
  // For each data parameter in order: the parameter of the sequential program of which it is one microbatch's part; -1:
  // it is not split into microbatches. Empty before the program is cut into stages.
  std::vector<int32_t> split_data = {};
};
using ReplicaProgramRef = std::shared_ptr<const ReplicaProgram>;

// Keeps the programs that were used last, by a key that says all of which they were made. For scenarios that differ in
// strategy and placement only.
class SharedPrograms {
 public:
  // The kept programs have `most_ops` ops at most, which take some 200 bytes each.
  explicit SharedPrograms(size_t most_ops = 250'000) : most_ops_(most_ops) {}

  // Null when none is kept.
  ReplicaProgramRef find(const std::string& key);
  // Requires: none is kept by this key.
  void keep(const std::string& key, ReplicaProgramRef program);

  size_t ops() const { return ops_; }  // of the kept programs

 private:
  struct Kept {
    std::string key;
    ReplicaProgramRef program;
    size_t ops;
  };

  size_t most_ops_, ops_ = 0;
  std::list<Kept> kept_;  // the last used first
  std::unordered_map<std::string, std::list<Kept>::iterator> by_key_;
};

}  // namespace foreflow::scenario
