// What tensor parallelism is asked to split: weights by a plan, activations along the sequence, the vocabulary.
#pragma once

#include <string>
#include <vector>

#include "foreflow/base/json.h"

namespace foreflow::transform {

// Weights whose names match `pattern` ('*' for any run of characters) are split along dimension `dim`.
struct WeightSplit {
  std::string pattern;
  int dim = 0;
};

struct TensorPlan {
  enum class Kind : uint8_t {
    automatic,  // by columns where the activation arrives whole, by rows where it arrives split
    megatron,   // attention and MLP blocks, recognised by their structure (Shoeybi et al., 2019); see transformer.h
    patterns    // `splits`; every other weight stays whole
  };
  Kind kind                       = Kind::automatic;
  std::vector<WeightSplit> splits = {};
  std::string where               = {};  // of the patterns, for messages: a file, or a place in a scenario
};

// {"h.*.attn.weight": 1, "h.*.proj.weight": 0}. Throws Error at the entry whose dimension is no whole number from 0
// to 7.
TensorPlan read_tensor_plan(const JsonView& patterns);

// "auto", "megatron", or the name of a file with such an object. Throws Error as read_file and parse_json do.
TensorPlan find_tensor_plan(const std::string& word);

enum class Results : uint8_t { gather, leave_split };

struct Sharding {
  TensorPlan plan = {};
  // Sequence parallelism (Korthikanti et al., 2022): between the regions that tensor parallelism splits, activations
  // [b,s,h] are split along s: a region begins with an all-gather, which backward repeats, and ends with a
  // reduce-scatter, in place of all-reduces.
  bool sequence = false;
  // The rows of embedding tables, the columns of logits, and the sums of the cross entropy over them, are split by the
  // vocabulary.
  bool vocabulary = false;
  Results results = Results::gather;
};

}  // namespace foreflow::transform
