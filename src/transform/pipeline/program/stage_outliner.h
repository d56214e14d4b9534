// Outlines the work of each pipeline stage on one microbatch: a function for the forward pass and one for the backward
// pass, or two for its halves (input and weight gradients).
#pragma once

#include "foreflow/ir/builder.h"
#include "foreflow/ir/shared_attributes.h"
#include "transform/pipeline/cuts/stages.h"
#include "transform/pipeline/program/wide_sums.h"
#include "transform/rewrite/copy.h"

namespace foreflow::transform {

// The parts of a stage's work: forward, backward, weight gradients. A task does one of them, or the last two together.
constexpr int kParts = 3;
struct Parts {
  int first, last;
};
Parts parts_of(schedule::Phase phase);

// One function of the pipeline. Its parameters and results are described by values of the program that it was cut from.
struct Outlined {
  ir::Function function;
  std::vector<ir::ValueId> parameters;  // weights, data, and values that other functions compute
  std::vector<ir::ValueId> sums;        // further parameters: the running sums that it adds these values to
  std::vector<ir::ValueId> results;     // values that are needed elsewhere, including sums
};

class StageOutliner {
 public:
  // The functions work on one of `microbatches` parts of the batch. `summed` tells per value whether it is summed over
  // them, `wide` in which type if not in its own.
  StageOutliner(const ir::Function& function, const std::vector<StagedOp>& staged,
                const interpret::Values<LaidOut>& values, int microbatches, const std::vector<bool>& summed,
                const WideSums& wide, const ir::OpTable& ops);

  bool is_empty(schedule::Phase phase, int stage) const;
  // The values summed in one part of a stage.
  const std::vector<ir::ValueId>& sums(int stage, int part) const { return sums_[number(stage, part)]; }
  // The function of `phase` of a stage. `begun[part]` tells whether the running sums of a part exist already, from
  // earlier microbatches: a new term is then added as soon as it is computed, so that two terms are never alive at the
  // same time. Otherwise the term becomes the sum.
  Outlined outline(schedule::Phase phase, int stage, const std::vector<bool>& begun);

 private:
  static size_t number(int stage, int part) { return static_cast<size_t>(stage) * kParts + static_cast<size_t>(part); }
  void find_readers();
  bool inside(ir::ValueId id) const;
  bool is_constant(ir::ValueId id) const;
  std::vector<uint32_t> ops_of(schedule::Phase phase, int stage) const;
  void write(ir::FunctionBuilder& builder, const ir::Op& op);
  void find_results(const std::vector<uint32_t>& ops);
  const ir::AttributesRef& local(const ir::Op& op);

  const ir::Function& function_;
  const std::vector<StagedOp>& staged_;
  const interpret::Values<LaidOut>& values_;
  const int microbatches_;
  const std::vector<bool>& summed_;
  const WideSums& wide_;
  const ir::OpTable& ops_;
  const std::vector<int32_t> makers_;
  std::vector<std::vector<uint32_t>> parts_;    // per part of a stage: its ops
  std::vector<std::vector<ir::ValueId>> sums_;  // the same
  std::vector<int32_t> part_of_;                // per op: number of its part; -1: none
  struct Readers {
    int32_t first = INT32_MAX, last = -1;  // the parts that read a value; INT32_MAX: the update, the program's results
  };
  std::vector<Readers> readers_;  // per value
  Judge judge_;
  SequenceTable known_;
  std::vector<ir::AttributesRef> attributes_;  // of one microbatch, by number in known_
  ir::SharedAttributes shared_;
  std::vector<uint64_t> words_;
  // The state of the function that is being written.
  int32_t first_ = 0, last_ = 0;               // its parts
  ValueMap map_;                               // emptied by `written_`
  std::vector<ir::ValueId> written_;           // values with an entry in map_
  std::map<ir::ValueId, ir::ValueId> so_far_;  // the running sums, in the new function
  Outlined outlined_;
};

}  // namespace foreflow::transform
