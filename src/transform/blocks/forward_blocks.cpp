#include "transform/blocks/forward_blocks.h"

#include <algorithm>

#include "foreflow/ir/fp8.h"
#include "foreflow/ir/shared_attributes.h"
#include "foreflow/transform/recompute.h"
#include "transform/blocks/blocks.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

// The ops of stretches as functions of a module, one a stretch, in which repetitions are looked for. Seeds and marks of
// recomputation do not tell layers apart.
class Stretches {
 public:
  Stretches(const ir::Function& function, size_t forward)
      : function_(function), made_(function.values.size(), ValueId{0}) {
    last_reader_.assign(function.values.size(), -1);
    for (size_t o = 0; o < forward; ++o) {
      for (const ValueId id : function.inputs(function.ops[o])) {
        if (id != ValueId::none) last_reader_[ir::index(id)] = static_cast<int64_t>(o);
      }
    }
  }

  ir::Module module(const std::vector<Segment>& stretches) {
    ir::Module result;
    for (const Segment& stretch : stretches) result.functions.push_back(part(stretch));
    return result;
  }

 private:
  // A function with these ops and only the values that they make. All values from outside are its one parameter, since
  // blocks do not differ in which these are.
  ir::Function part(const Segment& stretch) {
    ir::Function part;
    part.values.resize(1);
    part.parameters = {ir::ParameterRole::data};
    for (const size_t o : stretch) {
      ir::Op op        = function_.ops[o];
      op.attributes    = of_any_layer(op.attributes);
      op.first_operand = static_cast<uint32_t>(part.operands.size());
      for (const ValueId id : function_.inputs(function_.ops[o]))
        part.operands.push_back(id == ValueId::none ? id : made_[ir::index(id)]);
      op.first_result = static_cast<uint32_t>(part.values.size());
      part.values.resize(op.first_result + op.result_count);
      for (uint32_t i = 0; i < op.result_count; ++i) {
        const size_t value = function_.ops[o].first_result + i, own = op.first_result + i;
        part.values.annotate(own, function_.values[value].annotation);
        made_[value] = static_cast<ValueId>(own);
        if (last_reader_[value] > static_cast<int64_t>(stretch.back())) part.results.push_back(made_[value]);
      }
      part.ops.push_back(std::move(op));
    }
    for (const size_t o : stretch) {
      for (uint32_t i = 0; i < function_.ops[o].result_count; ++i)
        made_[function_.ops[o].first_result + i] = ValueId{0};
    }
    return part;
  }

  // Without the attributes that may tell a layer from others, or the products of one module from each other.
  ir::AttributesRef of_any_layer(const ir::AttributesRef& attributes) {
    static constexpr std::string_view kAside[] = {"seed", kSegment, ir::kFp8, ir::kFp8Updates};
    ir::Attributes same                        = *attributes;
    bool changes                               = false;
    for (const std::string_view own : kAside) {
      if (same.find(own) == nullptr) continue;
      same.erase(own);
      changes = true;
    }
    return changes ? shared_(same) : attributes;
  }

  const ir::Function& function_;
  std::vector<int64_t> last_reader_;  // forward ops; -1: none
  std::vector<ValueId> made_;         // per value: that of the part at hand; 0: it is from outside
  ir::SharedAttributes shared_;
};

// The parts of each run of ops that are not in `taken`.
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

// Returns true if a block is the same op on several ranks, which is no layer.
bool is_one_op(const ir::Function& function, const Segment& block) {
  const ir::Op& first = function.ops[block.front()];
  return std::all_of(block.begin(), block.end(), [&](size_t o) {
    return function.ops[o].def == first.def && function.ops[o].callee == first.callee;
  });
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
  std::erase_if(blocks, [&](const Segment& block) { return is_one_op(function, block); });
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

}  // namespace

std::vector<Segment> forward_blocks(const ir::Module& module, size_t smallest) {
  return blocks_of(module.entry(), forward_ops(module.entry()), smallest);
}

std::vector<Segment> forward_blocks(const ir::Module& module) {
  for (const size_t smallest : kSmallestBlocks) {
    std::vector<Segment> blocks = forward_blocks(module, smallest);
    if (!blocks.empty()) return blocks;
  }
  return {};
}

}  // namespace foreflow::transform
