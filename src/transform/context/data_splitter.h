// Writes a program whose data are split, as its plans say: every op once for each way.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "foreflow/ir/builder.h"
#include "foreflow/ir/replicas.h"
#include "foreflow/transform/split_data.h"
#include "transform/context/data_split_plan.h"
#include "transform/layout/reshard_row.h"

namespace foreflow::transform {

// One way to split the data of a program, and what it has made so far. A program whose stages are split in different
// ways has several; the devices of each are D1, D2, ...
struct SplitVariant {
  SplitVariant(DataSplitPlan planned, const DataSplitStep& step, int of_which_written, size_t values)
      : plan(std::move(planned)),
        ways(step.ways),
        written(of_which_written),
        reduce_dtype(step.split.reduce_dtype),
        shrinks(step.split.dim == 0 ? Shrinks::rest : Shrinks::blocks),
        copies(values) {}

  Ways all_ways() const { return {ways, written}; }
  // The number of a way in names.
  std::string number(int way) const {
    return way > 0 && written < ways ? std::string(1, ir::kRankMark) : std::to_string(way + 1);
  }

  const DataSplitPlan plan;
  const int ways, written;
  const std::optional<ir::DType> reduce_dtype;
  const Shrinks shrinks;
  // Drops the whole copies of values that ways have in parts: the backward pass gathers them again, so that only parts
  // are kept until then.
  void forget_gathered();

  int32_t group = 1;                             // devices of one way
  std::vector<std::map<Layout, Copies>> copies;  // per value
};

class DataSplitter {
 public:
  // `steps`: per variant; the module has no calls and is kept by the caller. Writes the first `written` ways; 0: all.
  DataSplitter(const ir::Module& module, const ir::OpTable& ops, const std::vector<DataSplitStep>& steps,
               int written = 0, SplitVariants variants = {});

  Distributed run();

  // Returns true if the plans found experts.
  bool has_experts() const;
  // After run: true if the ways that are written say what the others do.
  bool says_all() const { return says_all_; }

  // Per op of the new program: the op of the old one with which it runs.
  const std::vector<size_t>& origins() const { return origins_; }

 private:
  size_t variant_of_value(size_t value) const { return variants_.several() ? variants_.of_value[value] : 0; }
  size_t variant_of_op(size_t op) const { return variants_.several() ? variants_.of_op[op] : 0; }
  bool is_transfer(size_t op) const { return variants_.several() && function_.ops[op].def->reshards; }
  void parameter(size_t i);
  size_t end_of_row(size_t begin) const;
  void write_row(SplitVariant& variant, size_t begin, size_t end);
  void write_ring(SplitVariant& variant, size_t begin, size_t end);
  void write_part_slices(SplitVariant& variant, size_t begin, size_t end);
  void write_transfer(size_t op);
  void turn(SplitVariant& variant, size_t begin, size_t end, uint32_t result);
  void bring(SplitVariant& variant, size_t begin, size_t end, size_t operand);
  // Converts a row of a value, in the type in which gradients are summed if it is the sum of one.
  Row converted(SplitVariant& variant, Row row, const Layout& from, const Layout& to, ir::ValueId id);
  Row in_layout(const SplitVariant& variant, const Row& row, const Layout& from, const Layout& to,
                const ir::Type& type);
  void cast(Row& row, ir::DType dtype);
  // The sums of the gradients of weights over all ways.
  Row summed(const SplitVariant& variant, Row row);
  void write(SplitVariant& variant, size_t op, int way);
  ir::AttributesRef attributes(const SplitVariant& variant, size_t op, int way);
  void result(size_t i, std::vector<ir::ValueId>& results);
  std::map<Layout, Copies>& copies_of(SplitVariant& variant, ir::ValueId id);
  // The ops written since the last call run with this op.
  void note(size_t op) { origins_.resize(builder_.function().ops.size(), op); }
  // The op that makes a value; of a parameter, the first that reads it where it is.
  size_t op_of_value(size_t value) const;

  const ir::Module& module_;
  const ir::Function& function_;
  const interpret::MixedInterpretation interpretation_;
  const interpret::Values<interpret::Mixed>& values_;
  const SplitVariants variants_;
  std::vector<SplitVariant> ways_;  // per variant
  std::vector<bool> of_weights_;    // per value: it only leads to optimizers
  ir::FunctionBuilder builder_;
  std::vector<ir::AttributesRef> of_every_way_;  // per op: its attributes; null: not known, or each way has its own
  Distributed distributed_;
  std::vector<size_t> origins_;
  bool says_all_ = true;
  bool backward_ = false;  // the backward pass has begun
};

}  // namespace foreflow::transform
