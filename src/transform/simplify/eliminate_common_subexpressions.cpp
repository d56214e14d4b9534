#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "foreflow/ir/text.h"
#include "foreflow/transform/passes.h"
#include "foreflow/transform/simplify.h"
#include "transform/pass_arguments.h"
#include "transform/rewrite/copy.h"
#include "transform/rewrite/effects.h"

namespace foreflow::transform {
namespace {

class Eliminator {
 public:
  Eliminator(const ir::Function& function, const std::vector<bool>& pure)
      : function_(function), pure_(pure), builder_(function.name, no_ops()), map_(function.values.size()) {}

  ir::Function run() {
    copy_parameters(builder_, function_, map_);
    for (const ir::Op& op : function_.ops) {
      if (!is_pure(op, pure_)) {
        copy_op(builder_, function_, op, map_);
        continue;
      }
      const auto [first, fresh] = known_.emplace(key_of(op), &op);
      if (fresh) {
        copy_op(builder_, function_, op, map_);
      } else {
        for (uint32_t i = 0; i < op.result_count; ++i)
          map_.set(function_.output(op, i), map_(function_.output(*first->second, i)));
      }
    }
    return builder_.finish(copies(function_.results, map_));
  }

 private:
  // Equal exactly for ops that give equal results: op, attributes, operands as they are now, stated types.
  std::vector<int64_t> key_of(const ir::Op& op) {
    std::vector<int64_t> key = {static_cast<int64_t>(reinterpret_cast<intptr_t>(op.def)), op.callee,
                                attributes_number(op.attributes), op.result_count};
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const ir::TypeRef& stated = function_.value(function_.output(op, i)).annotation;
      key.push_back(stated == nullptr ? -1 : number(ir::to_string(*stated)));
    }
    for (const ir::ValueId id : copies(function_.inputs(op), map_)) key.push_back(static_cast<int64_t>(id));
    return key;
  }

  int64_t number(const std::string& text) {
    return texts_.emplace(text, static_cast<int64_t>(texts_.size())).first->second;
  }

  int64_t attributes_number(const ir::AttributesRef& attributes) {
    const auto [known, fresh] = attributes_.emplace(attributes.get(), 0);
    if (!fresh) return known->second;
    std::vector<std::string> entries;
    for (const auto& [name, value] : *attributes) entries.push_back(name + " = " + ir::to_string(value));
    std::sort(entries.begin(), entries.end());
    std::string text;
    for (const std::string& entry : entries) text += entry + ", ";
    return known->second = number(text);
  }

  const ir::Function& function_;
  const std::vector<bool>& pure_;
  ir::FunctionBuilder builder_;
  ValueMap map_;
  std::map<std::vector<int64_t>, const ir::Op*> known_;
  std::unordered_map<std::string, int64_t> texts_;
  std::unordered_map<const ir::Attributes*, int64_t> attributes_;
};

}  // namespace

ir::Module eliminate_common_subexpressions(const ir::Module& module) {
  const std::vector<bool> pure = pure_functions(module);
  ir::Module result;
  result.source = module.source;
  for (const ir::Function& function : module.functions) result.functions.push_back(Eliminator(function, pure).run());
  ir::verify(result);
  return result;
}

namespace definitions::eliminate_common_subexpressions {
PassDef row() {
  return {"eliminate_common_subexpressions",
          "compute once what a function computes twice",
          {},
          [](const ir::Module& module, const ir::OpTable&, const PassArguments&) {
            return transform::eliminate_common_subexpressions(module);
          }};
}
}  // namespace definitions::eliminate_common_subexpressions

}  // namespace foreflow::transform
