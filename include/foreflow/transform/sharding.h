// The settings of tensor parallelism: which weights are split, and whether the sequence and the vocabulary are, too.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/ir/type.h"
#include "foreflow/transform/context_attention.h"

namespace foreflow::transform {

// Weights whose names match `pattern` ('*' for any run of characters) are split along dimension `dim`.
struct WeightSplit {
  std::string pattern;
  int dim = 0;
};

struct TensorPlan {
  enum class Kind : uint8_t {
    automatic,  // a weight is split by columns if its activation arrives whole, by rows if it arrives split
    megatron,   // attention and MLP blocks, recognised by their structure, are split as by Shoeybi et al., 2019
    patterns    // weights are split as `splits` says; all others stay whole
  };
  Kind kind                       = Kind::automatic;
  std::vector<WeightSplit> splits = {};
  std::string where               = {};  // patterns: where they come from (a file, a scenario key), for messages
};

// Reads patterns and dimensions, as in {"h.*.attn.weight": 1, "h.*.proj.weight": 0}. Throws Error naming the entry if a
// dimension is not a whole number from 0 to 7.
TensorPlan read_tensor_plan(const JsonView& patterns);

// The plan for "auto", "megatron", or the name of a file with such an object. Throws what read_file and parse_json
// throw.
TensorPlan find_tensor_plan(const std::string& word);

// Tells whether results that end up split are gathered: those that the program does not read itself, but for heads of
// keys and values.
enum class Results : uint8_t { gather, leave_split };

struct Sharding {
  TensorPlan plan = {};
  // Sequence parallelism (Korthikanti et al., 2022): outside the regions that tensor parallelism splits, activations
  // [b,s,h] are split along s. A region begins with an all-gather, which the backward pass repeats, and ends with a
  // reduce-scatter; together they replace an all-reduce.
  bool sequence = false;
  // Splits the vocabulary: the rows of embedding tables, the columns of logits, and the sums of the cross entropy over
  // them.
  bool vocabulary = false;
  Results results = Results::gather;
};

// How the stages of one device of a pipeline are sharded.
struct StageSharding {
  int ways          = 1;
  Sharding sharding = {};
  // Ranks that share each sequence and the experts of a layer, as data_split_steps counts them.
  int cp = 1, ep = 1;
  ContextAttention attention = ContextAttention::all_gather;
  // In which their gradients are summed, as DataSplit has it.
  std::optional<ir::DType> reduce_dtype = std::nullopt;
};

}  // namespace foreflow::transform
