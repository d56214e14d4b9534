#include "foreflow/transform/part_ops.h"

#include <set>

#include "foreflow/base/refusal.h"
#include "foreflow/ir/text.h"
#include "transform/layout/layout_domain.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;
using Runs = PartOp::Runs;

class Parter {
 public:
  Parter(const ir::Module& module, int ways, const ir::Device& device)
      : module_(module),
        function_(module.entry()),
        layouts_(interpret_layouts(module, ways, "samples")),
        values_(layouts_.entry().values),
        judge_(ways),
        device_(device),
        varies_(function_.values.size()) {}

  PartOps run() {
    for (size_t i = 0; i < function_.parameters.size(); ++i) varies_[i] = values_[i].layout.is_split();
    for (const ir::Op& op : function_.ops) {
      if (op.is_call())
        throw RefusalError(Cause::program, ir::describe(module_, function_, op), "a call has no parts; inline it");
      visit(op);
      if (op.def->role == ir::Role::optimizer) add_sums(op);
    }
    const std::set<ValueId> results(function_.results.begin(), function_.results.end());
    for (const ValueId id : results) {
      if (values_[ir::index(id)].layout.is_split()) add_type(id, made_.results);
    }
    return std::move(made_);
  }

 private:
  Runs runs(const ir::Op& op) const {
    bool sums = false;
    for (const ValueId id : function_.inputs(op)) {
      if (id == ValueId::none) continue;
      if (varies_[ir::index(id)]) return Runs::for_every_part;
      sums = sums || values_[ir::index(id)].layout.is_partial();
    }
    return sums || op.def->role == ir::Role::optimizer ? Runs::once : Runs::whole;
  }

  void visit(const ir::Op& op) {
    const Runs when = runs(op);
    words_          = {reinterpret_cast<uint64_t>(op.def), reinterpret_cast<uint64_t>(op.attributes.get()),
                       static_cast<uint64_t>(when), op.result_count};
    bool placed = false, here = false;
    const auto look = [&](size_t value) {
      words_.push_back(values_.number(value));
      const ir::Device device = ir::device_of(values_[value].value.type);
      placed                  = placed || device.placed();
      here                    = here || device == device_;
    };
    for (const ValueId id : function_.inputs(op)) {
      if (id == ValueId::none) {
        words_.push_back(~uint64_t{0});
      } else {
        look(ir::index(id));
      }
    }
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const size_t value = op.first_result + i;
      varies_[value]     = when == Runs::for_every_part && !values_[value].layout.is_partial();
      look(value);
    }
    if (placed && !here) return;
    const uint32_t number = known_.number(words_);
    if (number == made_.ops.size()) made_.ops.push_back(described(op, when));
    ++made_.ops[number].count;
  }

  void add_type(ValueId id, std::vector<ir::Type>& types) const {
    const ir::Type& type = values_[ir::index(id)].value.type;
    if (ir::device_of(type) == device_) types.push_back(type);
  }

  void add_sums(const ir::Op& op) {
    for (const ValueId id : function_.inputs(op)) {
      const bool sum = id != ValueId::none && values_[ir::index(id)].layout.is_partial();
      if (sum && summed_.insert(id).second) add_type(id, made_.sums);
    }
  }

  PartOp described(const ir::Op& op, Runs when) {
    PartOp made{&op, {}, {}, {}, op.result_count > 0, judge_(function_, op, values_).decision, when, 0};
    for (const ValueId id : function_.inputs(op)) {
      const LaidOut value = id == ValueId::none ? LaidOut() : values_[ir::index(id)];
      made.inputs.push_back(value.value.type);
      made.known.push_back(value.value.known);
    }
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const LaidOut& value = values_[op.first_result + i];
      made.outputs.push_back(value.value.type);
      made.on_host = made.on_host && value.value.known != nullptr;
    }
    return made;
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const LayoutInterpretation layouts_;
  const interpret::Values<LaidOut>& values_;
  Judge judge_;
  const ir::Device device_;
  std::vector<bool> varies_;  // per value: it depends on the samples, and is no sum over them
  SequenceTable known_;
  PartOps made_;  // ops: by number in known_
  std::set<ValueId> summed_;
  std::vector<uint64_t> words_;  // scratch
};

}  // namespace

PartOps part_ops(const ir::Module& module, int samples, const ir::Device& device) {
  return Parter(module, samples, device).run();
}

}  // namespace foreflow::transform
