// Pipeline parallelism: cuts a program into stages. The forward and the backward pass of a stage become functions,
// which are called once per microbatch, in the order of a schedule, with sends between the devices.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "foreflow/base/units.h"
#include "foreflow/ir/written_devices.h"
#include "foreflow/schedule/schedule.h"
#include "foreflow/transform/layer_share.h"
#include "foreflow/transform/pieces.h"
#include "foreflow/transform/sharding.h"

namespace foreflow::transform {

// How the stages are chosen.
enum class StagePartition : uint8_t {
  balanced,  // the slowest stage is as fast as possible
  uniform,   // equal shares of the forward flop, cut where few tensors cross
  layers     // whole layers, as many for each stage; LayerShare says how they are counted
};

// The price of sending a byte, in flop, where nothing is known about the machine: the flop that an NVIDIA A100 (data
// sheet: 312 Tflop/s in 16 bits) does while NVLink (300 GB/s one way) moves a byte. The same quotient is 833 for a V100
// and 2200 for an H100; over a network between nodes it is tens of times larger.
constexpr double kFlopPerByte = 312e12 / 300e9;

// The prices by which stages are balanced and delayed weight gradients are planned.
struct StagePrices {
  // Time of an op on one microbatch, on one device (of a communication: among its members). Empty: one second a flop.
  std::function<Seconds(const ir::OpCall& call, std::span<const ir::Type> outputs)> op = {};
  // Time for which both stages of a cut are busy when a byte is sent from one to the other. The default goes with an
  // empty `op`.
  double seconds_per_byte = kFlopPerByte;
  // Messages travel beside the computes, so a stage takes as long as the slower of both.
  bool overlaps_sends = false;
  // Time of adding a gradient of this type, on one device, to those of the microbatches before it. Empty: no time.
  std::function<Seconds(const ir::Type&)> accumulate = {};
  // Time until the slowest message of this size from a stage to the next has arrived. Empty: by seconds_per_byte.
  std::function<Seconds(Bytes)> hop = {};
  // Time until a Reshard of one microbatch, between two devices of the schedule, has delivered all parts. Empty: that
  // of a message of the size of a part.
  std::function<Seconds(const ir::OpCall& call, std::span<const ir::Type> outputs, int from, int to)> reshard = {};
  // Number of replicas that will share the samples of a microbatch. Times and sizes of a stage are those of one
  // replica.
  int replicas = 1;
  // The devices that the program has (transform::two_shards, two_ranks).
  ir::WrittenDevices written = {};
  // The parts that these replicas, and ranks of the program that hold copies of a weight, will shard, as in
  // DataParallel: the stage of ZeRO, and of stage 3 the size of the units in which weights are gathered. `blocks` above
  // 0: a unit is one of so many blocks of the model instead.
  int zero = 0;
  Bytes bucket{0};
  int blocks = 0;
  // Memory of each device of the schedule, or one number for all. No stage needs more if there are such cuts. Empty:
  // unlimited.
  std::vector<Bytes> memory = {};
};

struct Pipeline {
  const schedule::ScheduleDef* schedule = nullptr;
  // The size of the schedule, from schedule::checked_size. Each of its devices is a group of as many devices as the
  // program has.
  schedule::Size size;
  // Above 0: the program runs only that many of the microbatches, each as large as if all of them ran. A schedule of
  // this size must exist.
  int run = 0;
  // Splits every backward pass and delays weight gradients by as much as hides the hops best (schedule::least_delay,
  // with the times that `prices` gives the stages). What a delayed gradient needs is kept until then, even if it
  // exceeds `prices.memory`.
  bool delay_weight_gradients = false;
  StagePartition partition    = StagePartition::balanced;
  // The share of the work of each stage, in any unit (for example layers). Empty: equal shares. Not of `layers`.
  std::vector<double> shares = {};
  // How many times faster than `prices.op` says each stage computes; its messages take as long as in every other.
  // Empty: once. Of `balanced` alone.
  std::vector<double> speeds = {};
  LayerShare layers          = {};  // for the partition `layers`
  StagePrices prices         = {};
  // Replaces `partition` and `shares`: Cut::stage_ends of a program with the same forward pass. Empty: not used.
  std::vector<int32_t> stage_ends = {};
  // The passes of stages say that they are, and at which ends (ir/pipeline_ends.h).
  bool marks_ends = false;
  // Stages that do the same call one function, with the names that values have in the first of them.
  bool shares_functions = false;
  // Above 1: what all devices of a group of this size have in common crosses to another stage in as many parts, one
  // from each, which are gathered there before they are used (Narayanan et al., Efficient Large-Scale Language Model
  // Training on GPU Clusters Using Megatron-LM, 2021, section 4.1). `equal_parameters`: per parameter a number that
  // equal ones share; -1: none does.
  int scattered                         = 1;
  std::vector<int32_t> equal_parameters = {};
};

// Distributes the program over the stages of a pipeline.
//
// 1. A weight lives on every device that reads it. If there are several, each has a copy, the gradients are
//    all-reduced, and each device updates its copy.
// 2. If the schedule splits backward passes, the part on which only weight gradients depend is a task of its own.
//
// Throws RefusalError if the program has too few ops for the stages, or if it trains and the schedule does not.
Distributed pipeline(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted);

// The same for a program of one device whose stages are sharded, and their data split, in different ways, as
// `shards[d]` says on device d of the schedule. Device d becomes a group of shards[d].ways x cp devices (times the
// replicas that share its experts), behind the groups of the devices before it.
//
// 1. Where a value goes between stages that are sharded in different ways, a Reshard takes the place of the sends.
// 2. A stage with more devices gets more of the work: the shares of `wanted` count for one device of a group each. With
//    the partition `balanced` each stage is priced as it is sharded.
// 3. `wanted.prices` hold for all stages.
//
// Throws RefusalError as `shard`, `split_data` and `pipeline` do, and where a stage is on two devices that are sharded
// differently.
// Requires: the same number of replicas that share experts in all stages.
struct ShardedPipeline {
  // The steps before the pipeline, with empty modules: pieces of the program's parameters and results, then parts of
  // these.
  std::vector<Distributed> sharded;
  Distributed pipelined;  // its pieces are parts of those of the last step
};
ShardedPipeline pipeline_of_shards(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted,
                                   const std::vector<StageSharding>& shards);

// The number of layers, as the partition `layers` finds them, in a program of one device; 0: none, or it has calls.
int count_layers(const ir::Module& module);

// The cut that `pipeline` makes in a program.
struct Cut {
  std::vector<int32_t> stage_ends;  // per stage: the number of forward ops up to its end
  std::vector<size_t> segments;     // per stage: the number of its recomputed segments (see recompute.h)
};

// The cut of a training program. Throws what `pipeline` throws.
Cut cut(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted);
// The cut of pipeline_of_shards.
Cut cut_of_shards(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted,
                  const std::vector<StageSharding>& shards);

}  // namespace foreflow::transform
