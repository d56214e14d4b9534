// What the backward pass of a program repeats instead of remembering.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/units.h"
#include "foreflow/ir/module.h"

namespace foreflow::transform {

// What the activations of one pipeline stage may take, in bytes of the program's whole batch: those that are kept,
// times `in_flight`, and those that are repeated at one time.
struct ActivationLimit {
  Bytes bytes;
  double in_flight = 1;
  size_t blocks    = kAllBlocks;  // of the repeated blocks, those of the stage: so many of what stages before it leave
  bool operator==(const ActivationLimit&) const = default;

  static constexpr size_t kAllBlocks = std::numeric_limits<size_t>::max();
};

struct Recompute {
  enum class Kind : uint8_t {
    none,
    selective,  // every attention core
    blocks,     // every repeated block, or every so many of them as one segment
    optimal     // whatever makes least extra arithmetic within `limits`
  };
  Kind kind                               = Kind::none;
  int blocks                              = 1;   // in a segment: as Megatron-LM's method "uniform"
  std::vector<ActivationLimit> limits     = {};  // optimal: for each of the stages
  bool operator==(const Recompute&) const = default;
};

// "none", "selective", "full", "block(2)", "optimal"; Error at `place` otherwise.
Recompute read_recompute(std::string_view text, const std::string& place);
// The text of `how`, without its limits.
std::string to_string(const Recompute& how);

// Of each segment of the forward pass only what is read outside of it stays until the backward pass, which repeats the
// segment first. Repeated ops carry the attribute kRecompute, those that are repeated kSegment: both with the segment's
// number, from 1. Random ops draw the same numbers again, since they have the same seed. No segment reaches from one of
// `stages` equal shares of the blocks into the next. Works on programs as `differentiate` leaves them, whose first
// result is the loss; calls are written out. RefusalError when nothing in the program can be recomputed this way.
//
// `optimal` chooses for every block whether it is kept, repeated but for its attention cores, or repeated alone or
// together with up to 7 neighbours, so that the flop done again are fewest among all such choices whose activations are
// within the limit (and least memory where none is); repeated is only what the backward pass needs.
ir::Module recompute(const ir::Module& module, const ir::OpTable& ops, const Recompute& how, int stages = 1);

// The least and the most that the activations of each stage may take: limits for `optimal`, between which every choice
// lies. Of `stages` the bytes do not matter.
struct ActivationRange {
  Bytes least, most;
};
std::vector<ActivationRange> activation_ranges(const ir::Module& module, const std::vector<ActivationLimit>& stages);

// Whether the forward pass repeats blocks that can be recomputed.
bool has_blocks(const ir::Module& module);

inline constexpr std::string_view kRecompute = "recompute", kSegment = "segment";

// Activations that wait for the backward pass in the memory of the host.
//
// Everything that the forward pass leaves for the backward pass of the same device (with recomputation: what that
// keeps) is copied to the host after its last use in the forward pass, and back before its first use in the backward
// pass, by streams of their own, as TransformerEngine's and SageMaker's offloading of activations do (all layers, with
// two buffers: some values come back while those before them are used). Weights, what is made of weights alone and the
// data of the step stay where they are. For programs as `shard` or `pipeline` leave them; one on no device is put on
// D1. Error where two functions of the backward pass read the same activation, or where devices share the functions of
// a stage.
ir::Module offload(const ir::Module& module, const ir::OpTable& ops);

}  // namespace foreflow::transform
