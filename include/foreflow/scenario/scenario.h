// One question: a workload on a platform under a strategy, with a cost model and an engine. A plain value, read from
// JSON and checked for everything that can be checked without building the program. What is read of it later are these
// members, never the JSON.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/base/nth.h"
#include "foreflow/cost/cost.h"
#include "foreflow/ir/array.h"
#include "foreflow/lower/host_costs.h"
#include "foreflow/lower/lower.h"
#include "foreflow/platform/host_devices.h"
#include "foreflow/platform/placement.h"
#include "foreflow/platform/recipe.h"
#include "foreflow/reshard/strategy.h"
#include "foreflow/scenario/stated_keys.h"
#include "foreflow/schedule/schedule.h"
#include "foreflow/simulate/disturbance_kind.h"
#include "foreflow/simulate/simulate.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/context_attention.h"
#include "foreflow/transform/pipeline.h"
#include "foreflow/transform/recompute.h"
#include "foreflow/transform/replica.h"
#include "foreflow/transform/sharding.h"
#include "foreflow/workload/workload.h"

namespace foreflow::workload {
struct Preset;
}

namespace foreflow::scenario {

// Elements of an input of an ONNX model: the numbers, or the file that holds them.
struct InputNumbers {
  std::string file;  // a TensorProto; empty: `numbers`
  ir::Array numbers;
};

struct Workload {
  enum class Source : uint8_t { family, onnx, distir };

  Source source                       = Source::family;
  const workload::WorkloadDef* family = nullptr;  // family: its row
  const workload::Preset* preset      = nullptr;  // family: the preset that the scenario names; null: the family itself
  workload::KeyValues sizes;                      // family: what is stated for its own keys, or by its preset
  std::string path;                               // onnx, distir: the file
  std::string function;                           // distir: the function to run; empty: the last one
  std::map<std::string, ir::Dims> shapes;         // onnx: of graph inputs
  std::map<std::string, int64_t> dims;            // onnx: sizes of symbols in the shapes of graph inputs
  std::map<std::string, InputNumbers> inputs;     // onnx: elements that decide the control flow
  std::optional<ir::DType> dtype;                 // files: converts to this type; absent: as in the file
  std::string stated_dtype;                       // its name in the scenario: "bf16", "fp8", "tf32"; empty: none
  bool fp8 = false;                               // products with weights are done in fp8; the rest in `dtype`
  // Products of Float32 run on the units of TF32: dtype "tf32", or f32 with `cost.tf32`.
  bool tf32           = false;
  int fp8_updates     = 0;      // kernels that update the scales of a module, in each of its passes
  bool fp8_reduces    = false;  // the devices of a stage, in all replicas, agree on the largest values of each pass
  bool float_logits   = false;  // of 16 bits: the loss is computed in Float32
  workload::Mode mode = workload::Mode::training;
  std::string optimizer;
  transform::MixedPrecision precision;  // of weights narrower than Float32
  double clip_gradients          = 0;   // the largest norm of all gradients together; 0: they are not clipped
  transform::Inputs gradients_of = transform::Inputs::none;  // besides the weights
  std::string loss;                  // training of files: a kind of transform::add_loss; empty: result 0 is the loss
  std::string output = "0";          // the prediction: name or number of a result
  int64_t loss_axis  = -1;           // the dimension of the classes
  std::vector<std::string> weights;  // patterns of trained parameters, as for transform::differentiate
  bool decodes = false;              // inference of a single further token per sample

  bool trains() const { return mode == workload::Mode::training; }  // otherwise it infers
  // The size that the scenario or its preset states for a key of integers, else the default of the family; 0 where
  // that is not legal, or there is no such key.
  int64_t size(std::string_view key) const;
};

// A recipe or a file, with the link changes of the scenario. Equal choices describe the same platform.
struct PlatformChoice {
  std::string path;               // empty: `recipe` is used
  platform::Recipe recipe;        // holds its link changes itself
  platform::LinkChanges changes;  // to the file's links
  platform::DevicePlan devices;   // in the file's hosts

  bool operator==(const PlatformChoice&) const = default;
};

struct Strategy {
  int dp = 1, tp = 1, pp = 1;
  // The shards of each device of the pipeline, if stages are sharded in different ways: they have unequal numbers of
  // shards, or one of the next two members is not empty. Otherwise it is empty. `tp` is the largest of them.
  std::vector<int> stage_tp;
  // The ranks that share each sequence on each device of the pipeline, if their numbers are unequal; else empty. `cp`
  // is the largest of them.
  std::vector<int> stage_cp;
  // For each device of the pipeline, true if it has sequence parallelism; empty if all devices have it or none has. If
  // it is not empty, `sequence_parallel` is true.
  std::vector<bool> stage_sequence;
  int cp                         = 1;  // ranks that share each sequence
  transform::Attention attention = transform::Attention::unfused;
  transform::ContextAttention context_attention =
      transform::ContextAttention::all_gather;    // how they exchange keys and values
  bool sequence_first                   = false;  // activations are laid out as [s,b,h]
  int ep                                = 1;      // ranks that share the experts of a layer; divides dp * cp
  int microbatches                      = 1;      // K, of each replica
  int64_t global_batch                  = 0;      // samples in one iteration; 0: the batch of the program in the file
  const schedule::ScheduleDef* schedule = nullptr;
  schedule::Size schedule_size;  // devices = pp, microbatches as above
  bool delay_weight_gradients         = false;
  transform::StagePartition partition = transform::StagePartition::balanced;
  transform::LayerShare layer_share;  // of the partition `layers`; without the number of layers
  std::vector<double> shares;         // share of the work of each virtual stage; empty: equal shares
  std::vector<int32_t> stage_ends;  // a cut for transform::Pipeline, found with the limits of `recompute`; empty: none
  // The same cut of the program in which two shards, or ranks, represent all (ir::WrittenDevices); empty: none is
  // known.
  std::vector<int32_t> written_stage_ends;
  transform::Results results = transform::Results::gather;
  transform::TensorPlan tensor_plan;  // which weights tensor parallelism splits
  bool sequence_parallel = false, vocabulary_parallel = false;
  // The members from `zero` to `reduce_dtype` mean the same as in transform::DataParallel.
  int zero               = 0;
  bool overlap_gradients = false;
  Bytes bucket{0}, first_bucket{0};
  bool by_block = false, prefetch = true, keeps_gathered = false, float_gathers = false;
  bool limit_scatters                    = false;
  std::optional<ir::DType> reduce_dtype  = std::nullopt;
  bool overlap_sends                     = false;
  bool scatter_gather                    = false;    // messages of a pipeline in parts: transform::Pipeline::scattered
  const reshard::StrategyDef* resharding = nullptr;  // how tensors travel between stages that are sharded differently
  int tensor_chunks                      = 1;        // chunks of transform::overlap_tensor; 1: no overlap
  transform::Recompute recompute;
  bool fuses   = false;  // element-wise ops and norms that follow each other are one kernel
  bool offload = false;  // move activations to host memory until the backward pass reads them

  transform::Sharding sharding() const { return {tensor_plan, sequence_parallel, vocabulary_parallel, results}; }
  int devices() const { return dp * devices_of_replica(); }
  int devices_of_replica() const { return has_unequal_stages() ? first_rank(pp) : cp * tp * pp; }
  // True if stages are sharded in different ways.
  bool has_unequal_stages() const { return !stage_tp.empty(); }
  // The shards of device `device` of the pipeline, and how it is sharded.
  int shards_of(int device) const { return has_unequal_stages() ? nth(stage_tp, device) : tp; }
  // The ranks of device `device` of the pipeline that share each sequence, and whether it splits sequences over shards.
  int contexts_of(int device) const { return stage_cp.empty() ? cp : nth(stage_cp, device); }
  bool splits_sequence(int device) const {
    return shards_of(device) > 1 && (stage_sequence.empty() ? sequence_parallel : nth(stage_sequence, device));
  }
  std::vector<transform::StageSharding> shardings() const;
  // With unequal stages, the first rank of that device in a replica; for device `pp`, the number of all ranks. Replicas
  // that share experts are not counted.
  int first_rank(int device) const;
  // With unequal stages, the device of the pipeline that has a rank of a replica.
  int device_of_rank(int rank) const;
  // Number of replicas that share experts and are therefore distributed as one program.
  int replicas_sharing() const;
  // The most ranks that share each sequence in a stage. They hold copies of its weights.
  int most_contexts() const;
  // Returns how ranks that hold copies of the same weights exchange gradients and weights.
  transform::DataParallel data_parallel() const;
  // True if one collective sums a gradient over all ranks that hold a copy of its weight: those of all contexts, those
  // that share experts, and those of all replicas. Otherwise the ranks of each replica sum first, and the replicas
  // after them.
  bool sums_once() const {
    const transform::DataParallel how = data_parallel();
    return how.has_copies && how.shares();
  }
  // The most ranks that such a sum is taken over: dp x cp, of experts fewer.
  int most_copies() const { return sums_once() ? dp * most_contexts() : dp / replicas_sharing(); }
  // True if the ranks of cp share attention in a way for which it must be one op. That is every way except all_gather.
  bool needs_fused_attention() const { return cp > 1 && context_attention != transform::ContextAttention::all_gather; }
  // Samples of a microbatch; 0 where the batch is that of the program in the file.
  int64_t microbatch_size() const { return global_batch / dp / microbatches; }
  // True if the result of fused attention, [b,s,h], is copied into the order [s,b,h]. For one sample the two orders are
  // the same.
  bool copies_attention() const {
    return sequence_first && attention_used() == transform::Attention::flash && microbatch_size() != 1;
  }
  // The form of the attention cores in the program.
  transform::Attention attention_used() const {
    return needs_fused_attention() ? transform::Attention::flash : attention;
  }
};

enum class Dimension : uint8_t { tp, cp, pp, dp };

// Assignment of ranks to devices: `policy` puts the devices into an order, and ranks take them in that order, with the
// first dimension of `order` changing fastest.
//
// Example: tp = 2, dp = 2 and the default order: devices 0 and 1 are the two shards of the first replica. With order
// dp-tp they are shard 0 of both replicas.
struct Placement {
  const platform::PlacementDef* policy = nullptr;
  std::vector<std::string> devices;  // names, numbers, or ranges of numbers "0-7"; empty: all of the platform
  uint64_t seed                  = 0;
  std::array<Dimension, 4> order = {Dimension::tp, Dimension::cp, Dimension::pp, Dimension::dp};
};

// The time of the hosts as a scenario states it. The host of a captured graph takes none, whatever its kernels take.
struct Host {
  lower::HostCosts costs;
  bool graphs = false;

  lower::HostCosts taken() const { return graphs ? lower::HostCosts() : costs; }
};

struct Job;

// Devices that jobs have: index into platform.devices(), name of the job.
using Held = std::map<int, std::string>;

struct Scenario {
  std::string file;  // for messages
  // As read, after overrides, with the keys of the framework and of presets; jobs have the members that they inherit.
  // It is changed and read anew, repeated in results, and compared as text; nobody reads a value of a loaded scenario
  // there.
  Json source;
  int job = -1;       // its index among the jobs of `source`; -1: the whole scenario
  StatedKeys stated;  // of `source`, or of the job
  std::string name;
  Workload workload;  // unused, as is the strategy, in a scenario with jobs
  PlatformChoice platform;
  Strategy strategy;
  Placement placement;
  cost::CostModel cost;
  Host host;
  lower::Options collectives;
  int channels = 0;  // of each collective; simulate::Options::collective_share follows from it once it is resolved
  const simulate::EngineDef* engine = nullptr;
  simulate::Options simulation;
  std::optional<simulate::NamedDisturbances> disturbances;  // empty once resolve() has put them into `simulation`
  std::string allocator = "exact";  // "exact", or "caching": reports model a framework's allocator
  Held held;              // of a job that is run: the devices of the jobs before it, which it cannot have; else empty
  std::vector<Job> jobs;  // that share the platform; empty: the scenario is the only job

  // The place of a key: "gpt.json: $.strategy.tp", of a job "gpt.json: $.jobs[0].strategy.tp"; without a path that of
  // the scenario.
  std::string where(std::string_view path = "") const;
};

// One of several jobs on one platform. Its scenario has the platform and the engine of the whole scenario.
struct Job {
  Scenario scenario;
  Seconds start;
  int iterations = 1;  // run one after the other
};

// Throws Error("FILE: $.path.of.key", ...): unknown keys, wrong kinds, values that are not legal together, and lists
// (an axis is for `search` or `sweep`: `commands` are those that the error advises). Paths in the scenario are relative
// to `file`.
Scenario load(const Json& json, const std::string& file, std::string_view commands = "sweep or search");

// Reads a scenario's "platform". Throws Error as `load` does.
PlatformChoice read_platform(const JsonView& json);

// Sets one value of `json` by an override such as "strategy.tp=4": the value is JSON if it parses, else a string.
void override_with(Json& json, const std::string& setting);

// Reads the JSON of a file and applies the overrides.
Json read_source(const std::string& path, const std::vector<std::string>& overrides);

Scenario load_file(const std::string& path, const std::vector<std::string>& overrides = {});

// A member of the scenario's JSON as compact text; "" if it is absent. A key of what is kept for several scenarios.
std::string part_text(const Scenario& scenario, std::string_view part);

// "packed", "random, seed 7", "spread, order tp-dp-pp".
std::string describe(const Placement& placement);

// All divisors of `number`, ascending.
std::vector<int64_t> divisors(int64_t number);

}  // namespace foreflow::scenario
