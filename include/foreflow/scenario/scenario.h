// One question: a workload on a platform under a strategy, with a cost model and an engine. A plain value, read from
// JSON and checked for everything that can be checked without building the program.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/cost/cost.h"
#include "foreflow/lower/lower.h"
#include "foreflow/platform/placement.h"
#include "foreflow/platform/recipe.h"
#include "foreflow/schedule/schedule.h"
#include "foreflow/simulate/disturbance_kind.h"
#include "foreflow/simulate/simulate.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/context_attention.h"
#include "foreflow/transform/pipeline.h"
#include "foreflow/transform/recompute.h"
#include "foreflow/transform/sharding.h"
#include "foreflow/workload/workload.h"

namespace foreflow::scenario {

struct Workload {
  enum class Source : uint8_t { family, onnx, distir };

  Source source                       = Source::family;
  const workload::WorkloadDef* family = nullptr;  // family: its row
  std::string path;                               // onnx, distir: the file
  std::string function;                           // distir: the function to run; empty: the last one
  std::map<std::string, ir::Dims> shapes;         // onnx: of graph inputs
  std::optional<ir::DType> dtype;                 // files: absent leaves their data types as they are
  workload::Mode mode = workload::Mode::training;
  std::string optimizer;
  transform::MixedPrecision precision;                       // of weights narrower than Float32
  transform::Inputs gradients_of = transform::Inputs::none;  // besides the weights
  std::string loss;                  // training of files: a kind of transform::add_loss; empty: result 0 is it
  std::string output = "0";          // the prediction: name or number of a result
  int64_t loss_axis  = -1;           // of the classes
  std::vector<std::string> weights;  // what is trained, as for transform::differentiate
  std::map<std::string, int64_t, std::less<>> sizes;  // whole numbers above 0 that the scenario or its preset states
  bool decodes = false;                               // inference of one more token

  // A size that is stated; 0: it is not, or the model will refuse it.
  int64_t size(std::string_view key) const {
    const auto found = sizes.find(key);
    return found == sizes.end() ? 0 : found->second;
  }
};

// A recipe or a file, with other links where the scenario says so. Equal choices are the same platform.
struct PlatformChoice {
  std::string path;               // empty: the recipe
  platform::Recipe recipe;        // with its changed links
  platform::LinkChanges changes;  // of the file

  bool operator==(const PlatformChoice&) const = default;
};

struct Strategy {
  int dp = 1, tp = 1, pp = 1;
  int cp = 1;  // ranks that share each sequence
  transform::ContextAttention context_attention =
      transform::ContextAttention::all_gather;  // how they share keys and values
  int ep                                = 1;    // ranks, of the dp x cp, that share the experts of a layer
  int microbatches                      = 1;    // K, of each replica
  int64_t global_batch                  = 0;    // samples of one iteration; 0: what the program in the file has
  const schedule::ScheduleDef* schedule = nullptr;
  schedule::Size schedule_size;  // its devices are the stages of pp, its microbatches those above
  bool delay_weight_gradients         = false;
  transform::StagePartition partition = transform::StagePartition::balanced;
  std::vector<double> shares;   // of the work, per virtual stage; empty: equal
  std::vector<int32_t> places;  // transform::Pipeline::places, found together with the limits of `recompute`
  transform::Results results = transform::Results::gather;
  transform::TensorPlan tensor_plan;  // which weights tensor parallelism splits
  bool sequence_parallel = false, vocabulary_parallel = false;
  int zero               = 0;  // as transform::DataParallel has it, and the next two
  bool overlap_gradients = false;
  Bytes bucket{0};
  bool overlap_sends = false;
  int tensor_chunks  = 1;  // of transform::overlap_tensor; 1: none
  transform::Recompute recompute;
  bool offload = false;  // activations wait for the backward pass on the host

  transform::Sharding sharding() const { return {tensor_plan, sequence_parallel, vocabulary_parallel, results}; }
  int devices() const { return dp * cp * tp * pp; }
  // How many replicas share experts, and so are one program.
  int replicas_sharing() const;
  // Attention cores are one op each, as all ways to share keys and values but gathering want them.
  bool fuses_attention() const { return cp > 1 && context_attention != transform::ContextAttention::all_gather; }
};

enum class Dimension : uint8_t { tp, cp, pp, dp };

// On which devices the ranks sit: the policy orders the devices, and the ranks take them one by one, the first
// dimension of `order` changing fastest.
struct Placement {
  const platform::PlacementDef* policy = nullptr;
  std::vector<std::string> devices;  // names, numbers, or ranges of numbers "0-7"; empty: all of the platform
  uint64_t seed                  = 0;
  std::array<Dimension, 4> order = {Dimension::tp, Dimension::cp, Dimension::pp, Dimension::dp};
};

struct Job;

struct Scenario {
  std::string file;  // for messages
  Json source;       // as read, with its overrides; what jobs leave out is filled in
  int job = -1;      // its number among the jobs of `source`; -1: it is the whole
  std::string name;
  Workload workload;  // of a scenario with jobs: unused, as is the strategy
  PlatformChoice platform;
  Strategy strategy;
  Placement placement;
  cost::CostModel cost;
  lower::Options collectives;
  const simulate::EngineDef* engine = nullptr;
  simulate::Options simulation;
  std::optional<simulate::NamedDisturbances> disturbances;  // nothing once resolve() has put them into `simulation`
  std::string allocator = "exact";  // or "caching": replayed with a model of a framework's allocator
  std::vector<Job> jobs;            // that share the platform; empty: the scenario is itself the one job

  // Its own object in `source`.
  JsonView root() const;
};

// One of several jobs that share a platform, which is that of the whole, as is the engine.
struct Job {
  Scenario scenario;
  Seconds start;
  int iterations = 1;  // one after the other
};

// Throws Error("FILE: $.path.of.key", ...): unknown keys, wrong kinds, values that are not legal together, and lists
// (an axis is for `search`). Paths in the scenario are relative to `file`.
Scenario load(const Json& json, const std::string& file);

// What a scenario's "platform" says. Throws Error as `load` does.
PlatformChoice read_platform(const JsonView& json);

// Sets one value of `json` by an override such as "strategy.tp=4": the value is JSON if it parses, else a string.
void override_with(Json& json, const std::string& setting);

// The JSON of a file with overrides.
Json read_source(const std::string& path, const std::vector<std::string>& overrides);

Scenario load_file(const std::string& path, const std::vector<std::string>& overrides = {});

// "packed", "random, seed 7", "spread, order tp-dp-pp".
std::string describe(const Placement& placement);

// The whole divisors of `number`, ascending.
std::vector<int64_t> divisors(int64_t number);

}  // namespace foreflow::scenario
