// Chooses the ends of stages from the places where a program may be cut.
#pragma once

#include <span>

#include "transform/pipeline/cuts/cut_places.h"

namespace foreflow::transform {

// The last forward op of every stage but the last, ascending.
using Cuts = std::vector<int32_t>;

// Cuts where the forward flop up to the cut are about its share of the whole; among the places nearby, where the fewest
// tensors cross. `shares` has one entry per stage. Returns fewer cuts than asked for if there are too few places.
Cuts uniform_cuts(std::span<const CutPlace> places, std::span<const double> shares);

// The ends of the layers of a program. Layers are the equal blocks that its forward pass repeats.
struct LayerEnds {
  int32_t before = -1;        // the op before the first layer; -1: there is none
  std::vector<int32_t> ends;  // the last op of each layer
};
// `layers`: their number; 0: not known. Blocks with little work, such as the parts of an embedding, are no layers.
LayerEnds layer_ends(const ir::Module& module, std::span<const CutPlace> places, int layers);

// Cuts between layers, as `wanted.layers` says. Throws RefusalError where the layers are not found or do not divide.
Cuts layer_cuts(std::span<const CutPlace> places, const LayerEnds& layers, const Pipeline& wanted);

// The places at which a balanced pipeline of `stages` may be cut: those that have, of all within half of an average
// stage's time, the fewest tensors and of these the fewest bytes to send. Frameworks cut between layers, where only the
// residual stream crosses; inside a layer they would have to send what attention or the MLP is at work on. The place
// behind the last op is always one. All places where fewer than `stages` are left.
std::vector<CutPlace> quiet_places(std::span<const CutPlace> places, size_t stages);

// The parts that replicas, and ranks of the program that hold copies of a weight, shard.
struct Sharded {
  bool weights = false, gradients = false, states = false;
  int replicas = 1;
  // Units of sharded weights that a stage has gathered at a time. The units are those of StagePrices.
  double units = 0;
  Bytes bucket{0};
  int blocks = 0;

  auto operator<=>(const Sharded&) const = default;
};

// The resources that each stage may use, and the price of sending.
struct StageLimits {
  std::vector<double> shares;       // per stage: its share of the work
  std::vector<double> in_flight;    // per stage: number of microbatches whose activations it holds at a time
  std::vector<Bytes> memory;        // per stage: of one of its devices; one number: of all; empty: unlimited
  double seconds_per_byte = 0;      // charged to both stages at a cut, for the forward and for the backward pass
  bool overlaps_sends     = false;  // as in StagePrices
  // Per stage: the number of devices that will share what the program has on one; empty: one each.
  std::vector<int> devices = {};
  // Per stage: the index into CutPlace::variants; empty: the first for all.
  std::vector<size_t> variants = {};
  // Per stage: how many times faster it computes than the places say; messages take as long. Empty: once.
  std::vector<double> speeds = {};
  Sharded sharded            = {};

  auto operator<=>(const StageLimits&) const = default;

  size_t variant_of(size_t stage) const { return variants.empty() ? 0 : variants[stage]; }
  double speed_of(size_t stage) const { return speeds.empty() ? 1 : speeds[stage]; }
  // Per stage: its share of the flop.
  std::vector<double> shares_of_flop() const;
  bool has_memory() const { return !memory.empty(); }
  // The memory that the devices of a stage have together. Requires: has_memory().
  Bytes memory_of(size_t stage) const {
    const Bytes one = memory[memory.size() == 1 ? 0 : stage];
    return devices.empty() ? one : devices[stage] * one;
  }
};

// Limits of time alone, equal for all that differ in memory.
StageLimits without_memory(StageLimits limits);

// The best cuts, by these criteria in this order:
//
// 1. No stage exceeds limits.memory, if there are such cuts. A stage keeps what `limits.sharded` leaves of weights,
//    gradients and optimizer states, and the activations of its microbatches in flight.
// 2. The slowest stage, in seconds divided by its share, is as fast as possible (within the tolerance kSameTime).
// 3. The fewest stages are idle, that is, take less than kIdleStage of the time of the slowest. Otherwise the bytes
//    alone would decide: where 15 stages of 8 layers hold 120 of 126, the token ids are the cheapest tensor to cut.
// 4. The fewest bytes cross the cuts.
// 5. The stages are as even as possible.
//
// Exact dynamic programming over `places`, in O(places^2): stages slower than the best solution found are pruned.
constexpr double kSameTime  = 1e-6;  // relative
constexpr double kIdleStage = 0.01;
Cuts balanced_cuts(std::span<const CutPlace> places, const StageLimits& limits);
// The same, but empty if no cuts keep all stages within limits.memory.
Cuts balanced_within_memory(std::span<const CutPlace> places, const StageLimits& limits);

// The seconds of the stages between such cuts, each over its share, with its transfers.
std::vector<double> seconds_between(std::span<const CutPlace> places, const Cuts& cuts, const StageLimits& limits);
// Returns find(limits). If messages travel beside the computes, it looks without messages first, as those cuts are the
// same for many pipelines. They stand unless messages make a stage slower.
template <class Find>
Cuts beside_messages(std::span<const CutPlace> places, const StageLimits& limits, const Find& find) {
  if (!limits.overlaps_sends) return find(limits);
  StageLimits without      = limits;
  without.seconds_per_byte = 0;
  Cuts cuts                = find(without);
  const bool stands        = cuts.size() + 1 < limits.shares.size() ||
                      seconds_between(places, cuts, limits) == seconds_between(places, cuts, without);
  return stands ? cuts : find(limits);
}

// The seconds of the slowest stage.
double slowest_stage(std::span<const CutPlace> places, const Cuts& cuts, const StageLimits& limits);

// The part of the forward pass in the seconds of each stage between such cuts, from 0 to 1.
std::vector<double> forward_parts_between(std::span<const CutPlace> places, const Cuts& cuts,
                                          const StageLimits& limits);

// The bytes that each stage between such cuts needs.
std::vector<Bytes> needs_between(std::span<const CutPlace> places, const Cuts& cuts, const StageLimits& limits);
// Returns true if no stage between such cuts exceeds limits.memory. Requires: limits.has_memory().
bool fit(std::span<const CutPlace> places, const Cuts& cuts, const StageLimits& limits);

}  // namespace foreflow::transform
