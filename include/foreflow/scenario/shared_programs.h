// A cache of programs that several scenarios have in common.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "foreflow/ir/module.h"
#include "foreflow/ir/written_devices.h"
#include "foreflow/transform/pieces.h"

namespace foreflow::scenario {

// What a data parameter is one microbatch's part of.
struct SplitData {
  int32_t source     = -1;  // the parameter of the sequential program; -1: it is not split into microbatches
  int32_t microbatch = 0;   // among those that run
};

// The program of one replica, before it is replicated.
struct ReplicaProgram {
  ir::Module module;
  ir::WrittenDevices written;              // the devices that the program has (transform::two_shards, two_ranks)
  std::vector<SplitData> split_data = {};  // per data parameter; empty before the program is cut into stages
  // Per step from the sequential program to this one: the pieces of its parameters.
  std::vector<std::vector<transform::Piece>> steps = {};
};
using ReplicaProgramRef = std::shared_ptr<const ReplicaProgram>;

// Keeps the most recently used programs by a key that determines them completely. For scenarios that differ only in
// strategy and placement, and of which no names of values are shown: stages that do the same share a function, unless
// activations are offloaded, so its values have the names of the first stage (transform::Pipeline::shares_functions).
class SharedPrograms {
 public:
  // Keeps programs of at most `most_ops` ops in total, where a value counts as an op; each takes about 100 bytes.
  explicit SharedPrograms(size_t most_ops = 250'000) : most_ops_(most_ops) {}

  // Null if no program is kept under the key.
  ReplicaProgramRef find(const std::string& key);
  // Requires: no program is kept under this key.
  void keep(const std::string& key, ReplicaProgramRef program);

  size_t ops() const { return ops_; }  // of the kept programs, with their values

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
