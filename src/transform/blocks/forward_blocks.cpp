#include "transform/blocks/forward_blocks.h"

#include <algorithm>

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
        part.ops.back().attributes = of_any_layer(part.ops.back().attributes);
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
  ir::AttributesRef of_any_layer(const ir::AttributesRef& attributes) {
    if (attributes->find("seed") == nullptr && attributes->find(kSegment) == nullptr) return attributes;
    ir::Attributes same = *attributes;
    for (const std::string_view own : {std::string_view("seed"), kSegment}) {
      if (same.find(own) != nullptr) same.erase(own);
    }
    return shared_(same);
  }

  const ir::Function& function_;
  std::vector<int64_t> last_reader_;  // forward ops; -1: none
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
