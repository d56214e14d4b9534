// Activation memory: recomputes activations in the backward pass, or offloads them to the host, instead of keeping
// them.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/units.h"
#include "foreflow/ir/module.h"

namespace foreflow::transform {

// A limit for the activations of one pipeline stage: in_flight x kept bytes + the most bytes that are recomputed at one
// time. Bytes are those of the whole batch of the program.
struct ActivationLimit {
  Bytes bytes;
  double in_flight = 1;
  size_t blocks    = kAllBlocks;  // the stage has the next `blocks` blocks after those of the stages before it
  bool operator==(const ActivationLimit&) const = default;

  static constexpr size_t kAllBlocks = std::numeric_limits<size_t>::max();
};

struct Recompute {
  enum class Kind : uint8_t {
    none,
    selective,   // recompute every attention core
    activation,  // recompute what activation functions and gates make for products
    op,          // recompute every block but for attention and every second product (selective checkpointing per op)
    blocks,      // recompute every block (such as a layer) that the forward pass repeats
    optimal      // the least extra arithmetic within `limits`
  };
  Kind kind                               = Kind::none;
  int blocks                              = 1;   // blocks: how many of them form a segment (Megatron-LM's "uniform")
  std::vector<ActivationLimit> limits     = {};  // optimal: one per stage
  bool operator==(const Recompute&) const = default;
};

// Reads "none", "selective", "activation", "op", "full", "block(2)" or "optimal". Throws Error at `where` for any other
// text.
Recompute read_recompute(std::string_view text, const std::string& where);
// The same text again; limits are not part of it.
std::string to_string(const Recompute& how);

// Recomputes segments of the forward pass in the backward pass.
//
// 1. Of the values of a segment, only those that the forward pass reads outside the segment are kept until the backward
//    pass, which repeats the ops of the segment before it uses the others. With `activation` nothing of it is kept.
// 2. Both the repetition and the original of an op state the number of the segment, from 1: the repetition in the
//    attribute kRecompute, the original in kSegment.
// 3. Random ops have the same seed, so their repetition draws the same numbers.
// 4. `blocks`: the blocks are divided into `stages` equal shares, and no segment crosses from one share into the next.
// 5. `optimal` decides for every block: it is kept, its attention cores are recomputed, or it is recomputed, alone or
//    as one segment with up to 7 neighbours. Of all such decisions within the limits it takes the one with the fewest
//    extra flop; if none is within them, the one with the least memory. It repeats only ops that the backward pass
//    needs.
// 6. `op` keeps also the results of a block's attention, if that is one op, and of its first, third, .. product with a
//    matrix of weights, and repeats the ops that lead from there to what the backward pass reads. It keeps the results
//    of `reduced`, too: ops of the entry function whose results tensor parallelism will reduce-scatter. Empty: none.
//
// The program is one that `differentiate` made: its first result is the loss. Calls are inlined. Throws RefusalError if
// nothing in the program can be recomputed this way.
//
// With `fused` also element-wise values inside of fused kernels, which frameworks do not keep (as silu(gate) of
// SwiGLU); programs with calls are left as they are if nothing else is recomputed.
ir::Module recompute(const ir::Module& module, const ir::OpTable& ops, const Recompute& how, int stages = 1,
                     bool fused = false, const std::vector<bool>& reduced = {});

// The least and the most memory that the activations of a stage take under any decision of `optimal`.
struct ActivationRange {
  Bytes least, most;
};

// The decisions of `optimal` for the stages of a program, for limits that are tried one after another.
class ActivationPlans {
 public:
  // The `bytes` of the stages are ignored.
  ActivationPlans(const ir::Module& module, std::vector<ActivationLimit> stages);

  std::vector<ActivationRange> ranges() const;
  // Per stage: the memory of its decision within a limit that is in its range. It is the least limit with that
  // decision: limits that give the same memory give the same program.
  std::vector<Bytes> memory(const std::vector<Bytes>& limits) const;

 private:
  struct Stage;
  std::vector<std::shared_ptr<const Stage>> stages_;
};

// Returns true if the forward pass repeats blocks that can be recomputed.
bool has_blocks(const ir::Module& module);

inline constexpr std::string_view kRecompute = "recompute", kSegment = "segment";

// Offloads activations to the memory of the host until the backward pass needs them.
//
// 1. Every value that the forward pass leaves for the backward pass of the same device is offloaded; with
//    recomputation, every value that it keeps. Weights, values that depend on weights alone and the data of the step
//    are not offloaded.
// 2. A value is copied to the host after its last use in the forward pass, and back before its first use in the
//    backward pass. The copies run on streams of their own, with two buffers: some values are copied back while those
//    before them are in use. TransformerEngine and SageMaker offload activations in the same way.
//
// The program is one that `shard` or `pipeline` made; a program on no device is put on D1. Throws RefusalError if two
// functions of the backward pass read the same activation, or if several devices run the functions of one stage.
ir::Module offload(const ir::Module& module, const ir::OpTable& ops);

}  // namespace foreflow::transform
