// The table of passes: what `--pass "shard(tp=2)"` on the command line runs. The functions behind it are declared by
// subject in simplify.h, blocks.h, autodiff.h, tensor.h, replica.h, split_data.h, pipeline.h, recompute.h and
// overlap.h.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/base/registry.h"
#include "foreflow/ir/module.h"

namespace foreflow::transform {

// The arguments of a pass by name: {"tp": "2"} for "shard(tp=2)". Values are words or integers.
using PassArguments = std::map<std::string, std::string>;

struct PassDef {
  std::string_view name;
  std::string_view doc;  // explains the arguments, too
  std::vector<std::string_view> arguments;
  ir::Module (*run)(const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments);
  // Messages for the user about what the pass finds in the program, one line each. Null: the pass has none.
  std::vector<std::string> (*notes)(const ir::Module& module, const ir::OpTable& ops,
                                    const PassArguments& arguments) = nullptr;
};
const Registry<PassDef>& passes();

// Applies "NAME(key=value, ...)". Throws Error at "--pass ..." for unknown passes and arguments.
ir::Module apply(const ir::Module& module, const ir::OpTable& ops, std::string_view pass);

// The messages of `pass` about the program; see PassDef::notes.
std::vector<std::string> notes(const ir::Module& module, const ir::OpTable& ops, std::string_view pass);

}  // namespace foreflow::transform
