#include "transform/pipeline/program/wide_sums.h"

#include <set>

#include "foreflow/ir/uses.h"
#include "foreflow/transform/split_data.h"
#include "transform/pipeline/program/stage_devices.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

class WideSumFinder {
 public:
  WideSumFinder(const ir::Function& function, const std::vector<StagedOp>& staged, const std::vector<bool>& summed,
                const StageDevices& devices)
      : function_(function),
        staged_(staged),
        summed_(summed),
        devices_(devices),
        makers_(ir::makers_of(function)),
        uses_(ir::uses_of(function)) {
    found_.types.resize(function.values.size());
    found_.done.resize(function.ops.size());
  }

  WideSums run() {
    for (size_t o = 0; o < staged_.size(); ++o) {
      if (staged_[o].phase == StagePhase::update && function_.ops[o].def->copy == ir::Copy::converted) visit(o);
    }
    return std::move(found_);
  }

 private:
  void visit(size_t o) {
    const ir::Op& cast = function_.ops[o];
    const auto dtype   = ir::find_dtype(cast.attributes->string_or("to", ""));
    std::vector<ValueId> terms;
    const bool of_ranks = cast.attributes->find(kOfSum) != nullptr;
    if (of_ranks || !dtype || !collect(function_.inputs(cast)[0], terms)) return;
    std::set<int> devices;
    for (const ValueId id : terms) devices.insert(devices_.of(0, staged_[maker_of(id)].stage));
    if (devices.size() < 2) return;
    for (const ValueId id : terms) found_.types[ir::index(id)] = dtype;
    found_.done[o] = true;
  }

  size_t maker_of(ValueId id) const { return static_cast<size_t>(makers_[ir::index(id)]); }

  // The sums over microbatches that the value consists of; false if something else reads one of them.
  bool collect(ValueId id, std::vector<ValueId>& terms) const {
    if (id == ValueId::none || makers_[ir::index(id)] < 0 || uses_[ir::index(id)] != 1) return false;
    if (summed_[ir::index(id)]) {
      terms.push_back(id);
      return true;
    }
    const ir::Op& op = function_.ops[maker_of(id)];
    if (staged_[maker_of(id)].phase != StagePhase::update || !op.def->sums_operands) return false;
    bool all = true;
    for (const ValueId input : function_.inputs(op)) all = all && collect(input, terms);
    return all;
  }

  const ir::Function& function_;
  const std::vector<StagedOp>& staged_;
  const std::vector<bool>& summed_;
  const StageDevices& devices_;
  const std::vector<int32_t> makers_, uses_;
  WideSums found_;
};

}  // namespace

WideSums wide_sums(const ir::Function& function, const std::vector<StagedOp>& staged, const std::vector<bool>& summed,
                   const StageDevices& devices) {
  return WideSumFinder(function, staged, summed, devices).run();
}

}  // namespace foreflow::transform
