// Passes by name: what `--pass "shard(tp=2)"` on the command line runs. The passes themselves are declared by what they
// are about: simplify.h, blocks.h, autodiff.h, tensor.h, replica.h, spread.h, pipeline.h, recompute.h, overlap.h.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/registry.h"
#include "foreflow/ir/module.h"

namespace foreflow::transform {

// "shard(tp=2)": the arguments by name. Values are words or integers.
using PassArguments = std::map<std::string, std::string>;

struct PassDef {
  std::string_view name;
  std::string_view doc;  // with its arguments
  std::vector<std::string_view> arguments;
  ir::Module (*run)(const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments);
  // What the pass finds in the program, a line each, for people; null: nothing to say.
  std::vector<std::string> (*notes)(const ir::Module& module, const ir::OpTable& ops,
                                    const PassArguments& arguments) = nullptr;
};
const Registry<PassDef>& passes();

// Applies "NAME(key=value, ...)". Throws Error at "--pass ..." for unknown passes and arguments.
ir::Module apply(const ir::Module& module, const ir::OpTable& ops, std::string_view pass);

// What it would say about the program.
std::vector<std::string> notes(const ir::Module& module, const ir::OpTable& ops, std::string_view pass);

}  // namespace foreflow::transform
