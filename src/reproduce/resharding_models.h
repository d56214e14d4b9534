// The end-to-end models of the resharding paper as pipelines of two stages on two p3.8xlarge nodes, and its five
// systems.
#pragma once

#include "reproduce/resharding.h"
#include "reproduce/two_stages.h"

namespace foreflow::reproduce::resharding {

struct Model {
  std::string name;      // "U-Transformer"
  std::string scenario;  // below scenarios/: the whole model on one node
  int dp, tp;            // of each stage
  int microbatches;
  int samples;  // in a microbatch, over all replicas
  // The tensors of one sample that cross the boundary; `spec` is their layout on stages of (dp, tp) devices.
  std::vector<reshard::Tensor> boundary;
  std::string spec;  // of the dimensions of each tensor, the first of which counts samples
};
std::vector<Model> models();

// Forward and backward of a microbatch on a stage: half of what one more microbatch of the whole model takes on one
// node, tensor parallelism included, of which a quarter is the forward, since it runs again in the backward.
struct StageTimes {
  Seconds forward, backward;
};
StageTimes stage_times(const Options& options, const Model& model);

// A way to run the pipeline, as the paper names it.
struct System {
  std::string_view name, strategy, schedule;
  Overlap overlap;
};
const System& system(std::string_view name);

Seconds time_of(const Model& model, const StageTimes& stage, const System& system, int microbatches);

}  // namespace foreflow::reproduce::resharding
