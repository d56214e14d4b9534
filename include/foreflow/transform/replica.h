// Data parallelism: writes out all replicas, or the program of one replica that stands for all.
#pragma once

#include <optional>
#include <vector>

#include "foreflow/base/units.h"
#include "foreflow/ir/replicas.h"
#include "foreflow/transform/layout.h"
#include "foreflow/transform/pieces.h"

namespace foreflow::transform {

struct DataParallel {
  // Number of replicas.
  int ways = 1;

  // The stage of ZeRO (Rajbhandari et al., 2020), which says what is sharded over the replicas instead of replicated.
  // Each tensor is sharded by itself, in flat parts.
  //
  //   0   nothing: gradients are all-reduced, and every replica updates all weights
  //   1   optimizer states: gradients, summed over the microbatches, are reduce-scattered; every replica updates its
  //       part of the weights; the new weights are all-gathered
  //   2   also gradients: they are reduce-scattered in every microbatch, as soon as they are computed
  //   3   also weights: they are gathered, unit by unit, before their use in the forward and again in the backward pass
  int zero = 0;

  // Collectives run on streams `comm`, beside the computation: the sum of a bucket starts when its last gradient is
  // computed, and a unit of weights is gathered while the unit before it is in use.
  bool overlap = false;

  // Size of a bucket: gradients, in the order in which they are computed, are collected until they have this many bytes
  // and then travel in one collective. Units of weights, in the order of their use, are formed in the same way. 0:
  // every tensor travels by itself.
  Bytes bucket{0};

  // Size of the first bucket that a backward pass fills on a device. 0: that of the others.
  Bytes first_bucket{0};

  // Units and buckets are the blocks that the model repeats, such as layers, with what comes before and behind them as
  // one each, instead of having a size: FSDP's wrapped modules.
  bool by_block = false;

  // With `overlap` and sharded weights: a unit is gathered while the unit before it is in use; false: once it is
  // needed (FSDP's backward_prefetch none).
  bool prefetch = true;

  // Sharded weights stay gathered from the forward to the backward pass (FSDP's SHARD_GRAD_OP, reshard_after_forward
  // false). Not inside of calls, where each microbatch gathers for itself.
  bool keeps_gathered = false;

  // Sharded weights in 16 bits are gathered in Float32, and converted where they arrive (FSDP's MixedPrecision without
  // a param_dtype, under torch.autocast). The backward pass gathers them, too, but reads what the forward pass has
  // converted and kept, as autograd does; where it computes something again, it converts again.
  bool float_gathers = false;

  // The type in which gradients travel and are summed: they are converted before, and what was summed is converted back
  // (FSDP's MixedPrecision(reduce_dtype), DDP's bf16_compress_hook). Nothing: that of each gradient.
  std::optional<ir::DType> reduce_dtype = std::nullopt;

  // A device packs gradients once the sum that it began before has ended, and everything else that it began on the
  // stream before it packs: so one bucket or unit of whole gradients waits or travels, besides those that are being
  // computed (FSDP2's reduce_scatter_state).
  //
  //   D1       gradients of 3 |pack| gradients of 2 |wait|pack| gradients of 1 |..
  //   D1.comm                      | sum of 3 ...........|    | sum of 2 ........
  //
  // Only with `overlap`, without which sums hold the device anyway, and with `zero` 2 or 3: otherwise whole gradients
  // are kept until the update.
  bool limit_scatters = false;
  bool limits_scatters() const { return limit_scatters && overlap && zero >= 2; }

  // Ranks inside of a replica hold copies of weights, too: those of context parallelism, and those that share experts
  // (split_data). Whatever is exchanged or sharded is then exchanged by, or sharded over, these ranks of all replicas.
  bool has_copies = false;

  // Above 0: two ranks of a replica represent this many (ir/written_devices.h).
  int ranks = 0;
  // The number of ranks of a replica that `written` ranks of the program stand for.
  size_t all_ranks(size_t written) const { return written > 1 && ranks > 0 ? static_cast<size_t>(ranks) : written; }

  // True if sums over the replicas begin in the backward pass, and not behind it.
  bool sums_early() const { return overlap || zero >= 2; }

  // True if there is more to do than to all-reduce each gradient before its use.
  bool shares() const { return (ways > 1 || has_copies) && (zero > 0 || overlap || bucket > Bytes(0) || reduce_dtype); }
};

// Copies the program onto `ways` groups of devices. Every replica gets a part of the batch; sums over the batch
// (gradients) are exchanged as `how` says. The ops before the first such sum become a function, which every replica
// calls on its own devices.
Distributed replicate(ir::Module module, const ir::OpTable& ops, const DataParallel& how);

// The program of one replica, which stands for all. Replicas differ only in their data, so this says what each of them
// does. A collective of all replicas has the operand of this one and states the number of replicas:
//
//   %sum = MPIAllreduce[replicas = 6](%dw)        // the sum of this replica's %dw and of five others
//
// A program of 384 replicas is therefore as long as one of two.
struct OneReplica {
  ir::Module module;
  int ways;
  int32_t devices;  // per replica: replica i has the devices D(i * devices + 1) .. D((i + 1) * devices)
  // How the replicas hold a parameter or result. A replica may have several ranks with a copy of a weight: of the
  // replicas x ranks rows of a flat one, rank `rank` of replica i has row i * ranks + rank.
  struct Held {
    Layout layout;
    int ranks = 1, rank = 0;
  };
  std::vector<Held> parameters;  // per parameter of the program
  struct Result {
    Held held;
    int32_t source;      // index among the results of the program of a replica
    ir::Dims dims = {};  // flat results: the dimensions of the whole
  };
  std::vector<Result> results;  // those of one source follow each other, ascending by rank
};

// Does for one replica what `replicate` does for all. Where replicas only all-reduce their gradients, values have the
// names of the first replica that `replicate` writes.
OneReplica one_replica(ir::Module module, const ir::OpTable& ops, const DataParallel& how);

// Writes out the program of all replicas.
Distributed unfold(const OneReplica& replica, const ir::OpTable& ops);

}  // namespace foreflow::transform
