// Pipeline parallelism: a program is cut into stages, whose forward and backward become functions that are called once
// a microbatch, in the order of a schedule, with sends between them.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "foreflow/base/units.h"
#include "foreflow/schedule/schedule.h"
#include "foreflow/transform/pieces.h"

namespace foreflow::transform {

// Where a program is cut.
enum class StagePartition : uint8_t {
  balanced,  // so that the slowest stage is as fast as possible
  uniform    // by the forward's arithmetic alone, where few tensors cross
};

// What sending a byte is weighed against arithmetic where nothing is known of the machine: the flop that an NVIDIA A100
// (data sheet: 312 Tflop/s in 16 bits) does while NVLink (300 GB/s one way) moves a byte. By the same rule it is 833
// for a V100 and 2200 for an H100; over a network between nodes tens of times as much.
constexpr double kFlopPerByte = 312e12 / 300e9;

// What stages are balanced by, and late weight gradients planned with.
struct StagePrices {
  // Seconds of one op on one device (of a communication: among its members), on one microbatch. Empty: a second a flop.
  std::function<Seconds(const ir::OpCall& call, std::span<const ir::Type> outputs)> op = {};
  // Of sending from a stage to another. The default goes with an empty `op`.
  double seconds_per_byte = kFlopPerByte;
  // What the slowest message from a stage to the next takes, until it is there. Empty: seconds_per_byte.
  std::function<Seconds(Bytes)> hop = {};
  // That will share the samples of a microbatch: what a stage computes and holds is one replica's.
  int replicas = 1;
  // That a device has; no stage needs more if that can be. 0: as much as is asked for.
  Bytes memory{0};
};

struct Pipeline {
  const schedule::ScheduleDef* schedule = nullptr;
  // Of the schedule, from schedule::checked_size; a device stands for a group of them, as large as the program's.
  schedule::Size size;
  // Above 0: the program runs only so many of the microbatches, which are as large as if all of them ran. A schedule of
  // this size must exist.
  int run = 0;
  // Backwards are split, and weight gradients wait for as long as hides hops best: schedule::least_delay, with what the
  // stages take by `prices`. What they need is kept until then, whatever `prices.memory`.
  bool delay_weight_gradients = false;
  StagePartition partition    = StagePartition::balanced;
  // How much of the work each stage should do, in any unit (layers, say), one number a stage; empty: equal parts.
  std::vector<double> shares = {};
  StagePrices prices         = {};
  // In place of `partition` and `shares`: Cut::places of a program with the same forward pass. Empty: cut as they say.
  std::vector<int32_t> places = {};
};

// A weight lives on every device that reads it; with several, each has a copy, its gradients are all-reduced, and each
// copy is updated. Backward work that only gradients of weights depend on is a task of its own where the schedule says
// so. Throws RefusalError when a program has too few ops, and when it trains and the schedule does not.
Distributed pipeline(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted);

// Where `pipeline` cuts a program.
struct Cut {
  std::vector<int32_t> places;   // how many forward ops stand before the end of each stage
  std::vector<size_t> segments;  // how many segments of recomputation (see recompute.h) each stage has
};

// Of a program that trains. Throws what `pipeline` throws.
Cut cut(const ir::Module& module, const ir::OpTable& ops, const Pipeline& wanted);

}  // namespace foreflow::transform
