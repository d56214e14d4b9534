// The ops that one part of the batch (a microbatch of a replica) runs, found without writing its program: for
// estimates.
#pragma once

#include <memory>
#include <vector>

#include "foreflow/ir/module.h"
#include "foreflow/transform/layout.h"

namespace foreflow::transform {

// An op of a program, and how many ops of the program are equal to it. Types are those of the whole batch.
struct PartOp {
  enum class Runs : uint8_t {
    for_every_part,  // it depends on the samples
    once,            // it works on sums over the parts (an optimizer)
    whole            // it depends on no sample
  };

  const ir::Op* op;
  std::vector<ir::Type> inputs, outputs;                // the type of an absent operand is unknown
  std::vector<std::shared_ptr<const ir::Array>> known;  // the numbers of the operands; null: not known
  bool on_host = false;                                 // all results are known numbers
  Decision decision;                                    // how the parts split operands and results
  Runs runs     = Runs::whole;
  int64_t count = 0;  // number of equal ops in the program
};

struct PartOps {
  std::vector<PartOp> ops;
  std::vector<ir::Type> results;  // the results of the program that the parts split; types of the whole batch
  std::vector<ir::Type> sums;     // the operands of optimizers that are summed over the parts
};

// The ops of the entry of `module` that have an operand or result on `device`, or on no device, when the batch is cut
// into `samples` parts. Throws Error if the batch cannot be cut so, or if the entry has a call. `module` must outlive
// the result.
PartOps part_ops(const ir::Module& module, int samples, const ir::Device& device);

}  // namespace foreflow::transform
