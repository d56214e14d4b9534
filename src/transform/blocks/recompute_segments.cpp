#include "transform/blocks/recompute_segments.h"

#include <algorithm>

#include "foreflow/ir/shared_attributes.h"
#include "transform/blocks/blocks.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// The ops of `which` as functions of a module, one a stretch, for who looks for repetitions in them. Seeds do not tell
// layers apart.
class Stretches {
 public:
  Stretches(const ir::Function& function, size_t forward) : function_(function) {
    last_reader_.assign(function.values.size(), -1);
    for (size_t o = 0; o < forward; ++o) {
      for (const ValueId id : function.inputs(function.ops[o])) {
        if (id != ValueId::none) last_reader_[ir::index(id)] = static_cast<int64_t>(o);
      }
    }
  }

  ir::Module module(const std::vector<Segment>& stretches) {
    ir::Module result;
    for (const Segment& stretch : stretches) {
      ir::Function part = function_;
      part.ops.clear();
      part.results.clear();
      for (const size_t o : stretch) {
        part.ops.push_back(function_.ops[o]);
        part.ops.back().attributes = without_seed(part.ops.back().attributes);
        for (uint32_t i = 0; i < part.ops.back().result_count; ++i) {
          const size_t value = part.ops.back().first_result + i;
          if (last_reader_[value] > static_cast<int64_t>(stretch.back()))
            part.results.push_back(static_cast<ValueId>(value));
        }
      }
      result.functions.push_back(std::move(part));
    }
    return result;
  }

 private:
  ir::AttributesRef without_seed(const ir::AttributesRef& attributes) {
    if (attributes->find("seed") == nullptr) return attributes;
    ir::Attributes same = *attributes;
    return shared_(same.erase("seed"));
  }

  const ir::Function& function_;
  std::vector<int64_t> last_reader_;  // forward ops; -1: none
  ir::SharedAttributes shared_;
};

// What `taken` leaves of each stretch.
std::vector<Segment> left_over(const std::vector<Segment>& stretches, const std::vector<bool>& taken) {
  std::vector<Segment> left;
  for (const Segment& stretch : stretches) {
    bool open = false;
    for (const size_t o : stretch) {
      if (taken[o]) {
        open = false;
      } else {
        if (!open) left.emplace_back();
        left.back().push_back(o);
        open = true;
      }
    }
  }
  return left;
}

std::vector<Segment> blocks_of(const ir::Function& function, size_t forward, size_t smallest) {
  Stretches make(function, forward);
  std::vector<Segment> stretches(1), blocks;
  for (size_t o = 0; o < forward; ++o) stretches[0].push_back(o);
  while (true) {
    std::erase_if(stretches, [&](const Segment& stretch) { return stretch.size() < smallest; });
    if (stretches.empty()) break;
    const auto block = best_block(make.module(stretches), {smallest, 2, 0});
    if (!block) break;
    std::vector<bool> taken(forward);
    for (const std::vector<OpAt>& occurrence : block->occurrences) {
      Segment& ops = blocks.emplace_back();
      for (const OpAt& at : occurrence) {
        ops.push_back(stretches[at.function][at.op]);
        taken[ops.back()] = true;
      }
    }
    stretches = left_over(stretches, taken);
  }
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

// Looks for the two products around a Softmax.
class CoreFinder {
 public:
  explicit CoreFinder(const ir::Module& module)
      : function_(module.entry()),
        forward_(forward_ops(function_)),
        makers_(makers_of(function_)),
        constant_(constant_values(function_)),
        readers_(function_.values.size()) {
    for (size_t o = 0; o < forward_; ++o) {
      for (const ValueId id : function_.inputs(function_.ops[o])) {
        if (id != ValueId::none) readers_[ir::index(id)].push_back(o);
      }
    }
  }

  std::vector<Segment> run() {
    std::vector<Segment> cores;
    for (size_t o = 0; o < forward_; ++o) {
      const ir::Op& op = function_.ops[o];
      if (op.is_call() || op.def->name != "Softmax") continue;
      Segment core{o};
      if (!above(function_.inputs(op)[0], core, 0) || !below(function_.output(op, 0), core, 0)) continue;
      std::sort(core.begin(), core.end());
      cores.push_back(std::move(core));
    }
    return cores;
  }

 private:
  static constexpr int kFarthest = 12;  // ops between the Softmax and a product

  bool is_weight(ValueId id) const {
    return ir::index(id) < function_.parameters.size() &&
           function_.parameters[ir::index(id)] == ir::ParameterRole::weight;
  }

  // Of two values that both follow from data.
  bool is_product(const ir::Op& op) const {
    const auto inputs = function_.inputs(op);
    return (op.def->name == "MatMul" || op.def->name == "Einsum" || op.def->name == "FusedMatMul") &&
           inputs.size() == 2 && std::none_of(inputs.begin(), inputs.end(), [&](ValueId id) {
             return is_weight(id) || constant_[ir::index(id)];
           });
  }

  // One result, element by element or a view: what stands between scores and probabilities.
  static bool passes(const ir::Op& op) {
    static constexpr std::string_view kNames[] = {"Add", "Cast", "Div", "Dropout", "Identity", "Max",
                                                  "Min", "Mul",  "Sub", "Tanh",    "Where"};
    return op.def->role == ir::Role::view ||
           std::find(std::begin(kNames), std::end(kNames), op.def->name) != std::end(kNames);
  }

  bool above(ValueId id, Segment& core, int far) const {
    if (id == ValueId::none || makers_[ir::index(id)] < 0 || constant_[ir::index(id)] || far > kFarthest) return false;
    const auto o     = static_cast<size_t>(makers_[ir::index(id)]);
    const ir::Op& op = function_.ops[o];
    if (op.is_call()) return false;
    core.push_back(o);
    if (is_product(op)) return true;
    if (passes(op)) {
      for (const ValueId input : function_.inputs(op)) {
        if (above(input, core, far + 1)) return true;
      }
    }
    core.pop_back();
    return false;
  }

  bool below(ValueId id, Segment& core, int far) const {
    if (far > kFarthest) return false;
    for (const size_t o : readers_[ir::index(id)]) {
      const ir::Op& op = function_.ops[o];
      if (op.is_call()) continue;
      core.push_back(o);
      if (is_product(op) || (passes(op) && below(function_.output(op, 0), core, far + 1))) return true;
      core.pop_back();
    }
    return false;
  }

  const ir::Function& function_;
  const size_t forward_;
  const std::vector<int32_t> makers_;
  const std::vector<bool> constant_;
  std::vector<std::vector<size_t>> readers_;  // forward ops
};

}  // namespace

size_t forward_ops(const ir::Function& function) {
  if (function.results.empty()) return 0;
  const std::vector<int32_t> makers = makers_of(function);
  const int32_t ops                 = makers[ir::index(function.results[0])] + 1;
  return static_cast<size_t>(ops);
}

std::vector<bool> constant_values(const ir::Function& function) {
  std::vector<bool> constant(function.values.size());
  for (const ir::Op& op : function.ops) {
    const auto inputs = function.inputs(op);
    const bool fixed  = std::all_of(inputs.begin(), inputs.end(),
                                    [&](ValueId id) { return id == ValueId::none || constant[ir::index(id)]; });
    std::fill_n(constant.begin() + op.first_result, op.result_count, fixed);
  }
  return constant;
}

std::vector<Segment> forward_blocks(const ir::Module& module) {
  const ir::Function& function = module.entry();
  const size_t forward         = forward_ops(function);
  for (const size_t smallest : {size_t{8}, size_t{4}, size_t{2}}) {
    std::vector<Segment> blocks = blocks_of(function, forward, smallest);
    if (!blocks.empty()) return blocks;
  }
  return {};
}

std::vector<Segment> attention_cores(const ir::Module& module) { return CoreFinder(module).run(); }

}  // namespace foreflow::transform
