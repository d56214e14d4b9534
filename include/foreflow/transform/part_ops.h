// What one part of the batch (a microbatch of a replica) does, without writing its program: for estimates.
#pragma once

#include <memory>
#include <vector>

#include "foreflow/ir/module.h"
#include "foreflow/transform/layout.h"

namespace foreflow::transform {

// Equal ops of a program.
struct PartOp {
  // For every part: it depends on the samples. Once: it works on sums over the parts (an optimizer).
  // Whole: it depends on no sample.
  enum class Runs : uint8_t { for_every_part, once, whole };

  const ir::Op* op;
  std::vector<ir::Type> inputs, outputs;                // of the whole batch; an operand left out is of unknown type
  std::vector<std::shared_ptr<const ir::Array>> known;  // numbers of the operands; null: not known
  bool on_host = false;                                 // all results are known numbers
  Decision decision;                                    // how the parts split them
  Runs runs     = Runs::whole;
  int64_t count = 0;  // how often it is in the program
};

struct PartOps {
  std::vector<PartOp> ops;
  std::vector<ir::Type> results;  // of the whole batch: results of the program that the parts split
  std::vector<ir::Type> sums;     // operands of optimizers that are summed over the parts
};

// Of the entry of `module` whatever has an operand or result on `device`, or on none, when the batch is cut into
// `samples` parts. Throws Error when it cannot be cut, and at a call. `module` must outlive the result.
PartOps part_ops(const ir::Module& module, int samples, const ir::Device& device);

}  // namespace foreflow::transform
