// Named model families at any size: the program of one device, forward only, before any distribution.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/registry.h"
#include "foreflow/ir/module.h"
#include "foreflow/workload/key_values.h"

namespace foreflow::workload {

enum class Mode : uint8_t { training, inference };
inline constexpr std::array<std::string_view, 2> kModes = {"training", "inference"};  // by Mode
// Throws Error at `where` if no mode has this name.
Mode mode_named(std::string_view name, const std::string& where);

struct Request {
  KeyValues sizes;  // what is stated for the keys of the family, whose defaults hold for the others
  int64_t batch;    // samples in one iteration, over all devices
  ir::DType dtype;
  Mode mode;
};

struct Model {
  ir::Module module;          // entry: weights and data are parameters; training: result 0 is the loss
  int64_t tokens_per_sample;  // 0: not a sequence model
  // Work of the forward pass that the model does not require, of the places of experts that tokens leave empty.
  // Published counts are of the experts that each token chooses (Megatron-LM, `num_floating_point_operations`).
  Flops padding{};
};

// Facts about a family that scenario readers and searches use without building it.
struct Traits {
  // A stack of `layers` blocks with attention: recomputation can be selective.
  bool is_transformer = true;
  // A decoder: a position attends to those before it only.
  bool is_causal = false;
  // Its layers route to `experts`, which expert parallelism can distribute.
  bool has_experts = false;
  // Dimension 1 of its data is the positions of `sequence`, which ranks can share (context parallelism).
  bool has_sequence = true;
  // Number of stacks of `layers` in a training step (encoder and decoder: 2).
  int64_t stacks_in_training = 1;
  // The default optimizer: one of transform::optimizer_names().
  std::string_view optimizer = "adam";
  // Inference without a `phase` uses the graph of its ONNX export instead of `build`.
  bool infers_by_export = false;
  // `sequence` is no more to phase decode than the default of `context`.
  bool decodes_by_context = false;
};

struct WorkloadDef {
  std::string_view name;
  std::string_view doc;
  std::vector<Key> keys;  // its sizes, besides model, dtype, mode and optimizer
  // Throws Error at the key that is wrong ("gpt.json: $.workload.heads"), saying what would be right.
  Model (*build)(const Request& request, const ir::OpTable& ops);
  Traits traits = {};
};

const Registry<WorkloadDef>& workloads();

}  // namespace foreflow::workload
