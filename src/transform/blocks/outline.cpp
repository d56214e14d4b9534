#include <algorithm>
#include <map>

#include "foreflow/ir/text.h"
#include "foreflow/transform/blocks.h"
#include "foreflow/transform/passes.h"
#include "transform/blocks/block_function.h"
#include "transform/pass_arguments.h"
#include "transform/rewrite/copy.h"

namespace foreflow::transform {
namespace {

// Puts the function of a block above everything that calls it, and calls in place of its occurrences.
class Replacer {
 public:
  Replacer(const ir::Module& module, const Block& block, BlockFunction made) : module_(module), made_(std::move(made)) {
    callee_ = block.occurrences.front().front().function;
    for (size_t i = 0; i < block.occurrences.size(); ++i) {
      const std::vector<OpAt>& ops = block.occurrences[i];
      callee_                      = std::min(callee_, ops.front().function);
      for (const OpAt& at : ops) gone_[at.function].emplace(at.op, false);
      for (const size_t constant : made_.constants[i]) gone_[ops.front().function].emplace(constant, false);
      first_[ops.front().function].emplace(ops.front().op, i);
      last_.push_back(ops.back().op);
    }
  }

  ir::Module run() {
    ir::Module result;
    result.source = module_.source;
    for (size_t f = 0; f < module_.functions.size(); ++f) {
      if (f == callee_) result.functions.push_back(std::move(made_.function));
      result.functions.push_back(rewrite(f));
    }
    return result;
  }

 private:
  ir::Function rewrite(size_t f) {
    ir::Function function = module_.functions[f];
    for (ir::Op& op : function.ops) op.callee += op.callee >= static_cast<int32_t>(callee_) ? 1 : 0;
    if (!first_.contains(f)) return function;
    ir::FunctionBuilder builder(function.name, no_ops());
    ValueMap map(function.values.size());
    copy_parameters(builder, function, map);
    auto& gone = gone_[f];
    for (size_t o = 0; o < function.ops.size(); ++o) {
      const auto starts = first_[f].find(o);
      if (starts != first_[f].end()) {
        // A Constant that stays may stand between the ops of the block that reads it.
        for (size_t inner = o; inner < last_[starts->second]; ++inner) {
          if (gone.emplace(inner, true).second) copy_op(builder, function, function.ops[inner], map);
        }
        call(builder, function, starts->second, map);
      }
      if (!gone.contains(o)) copy_op(builder, function, function.ops[o], map);
    }
    return builder.finish(copies(function.results, map));
  }

  void call(ir::FunctionBuilder& builder, const ir::Function& function, size_t occurrence, ValueMap& map) {
    const std::vector<ir::ValueId>& replaced = made_.results[occurrence];
    const std::vector<ir::ValueId> results =
        builder.call(callee_, copies(made_.arguments[occurrence], map), replaced.size());
    for (size_t i = 0; i < results.size(); ++i) {
      map.set(replaced[i], results[i]);
      builder.set_name(results[i], function.value(replaced[i]).name);
      builder.annotate(results[i], function.value(replaced[i]).annotation);
    }
  }

  const ir::Module& module_;
  BlockFunction made_;
  size_t callee_ = 0;
  // Per function: ops that the new function has; true: Constants moved up.
  std::map<size_t, std::map<size_t, bool>> gone_;
  std::map<size_t, std::map<size_t, size_t>> first_;  // per function: first op of an occurrence -> its number
  std::vector<size_t> last_;                          // per occurrence
};

// Gives the functions that `old` lacks the names @block_0, @block_1, ... in order, past those that are taken.
void name_blocks(ir::Module& module, const ir::Module& old) {
  size_t number = 0;
  for (ir::Function& function : module.functions) {
    if (old.find(function.name) != nullptr) continue;
    do {
      function.name = "block_" + std::to_string(number++);
    } while (old.find(function.name) != nullptr);
  }
}

// A name that no text can have, until all blocks are found.
std::string working_name(size_t number) { return "@" + std::to_string(number); }

}  // namespace

ir::Module outline(const ir::Module& module, int smallest, int calls) {
  const BlockLimits limits{.ops = static_cast<size_t>(smallest), .calls = static_cast<size_t>(calls)};
  ir::Module result = module;
  for (size_t number = 0; const std::optional<Block> block = best_block(result, limits); ++number) {
    BlockFunction made = block_function(result, *block, working_name(number));
    result             = Replacer(result, *block, std::move(made)).run();
  }
  name_blocks(result, module);
  ir::verify(result);
  return result;
}

namespace definitions::outline {
PassDef row() {
  return {"outline",
          "make functions of the blocks that repeat (equal layers): those of at least ops ops (8) with at least calls "
          "calls (2)",
          {"ops", "calls"},
          [](const ir::Module& module, const ir::OpTable&, const PassArguments& arguments) {
            const int calls = degree_argument(arguments, "calls", kFewestCalls);
            if (calls < 2) throw Error("--pass: calls", "a block that occurs once repeats nothing; use 2 or more");
            return transform::outline(module, degree_argument(arguments, "ops", kSmallestBlock), calls);
          }};
}
}  // namespace definitions::outline

}  // namespace foreflow::transform
