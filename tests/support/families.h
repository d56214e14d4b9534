// Members of every model family, shrunk, for tests of what holds whatever the model.
#pragma once

#include <map>
#include <string>

#include "foreflow/workload/workload.h"

namespace foreflow::test {

struct Member {
  std::string family, sizes;
  workload::Mode mode = workload::Mode::training;
  int64_t below       = 5;  // integers of its data
  int tp              = 4;  // greatest degree of tensor parallelism
  int pp              = 4;  // of pipeline parallelism
};

// By name: "llama" and the like for training, "llama_prefill" and "llama_decode" for inference.
const std::map<std::string, Member>& members();

ir::Module built(const Member& member, int64_t batch);

}  // namespace foreflow::test
