#include "foreflow/ir/verify.h"

#include <algorithm>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/ir/call_devices.h"
#include "foreflow/ir/text.h"
#include "ir/display.h"
#include "ir/name_table.h"

namespace foreflow::ir {
namespace {

// Messages are made only when they are needed: programs have millions of ops.
class Verifier {
 public:
  Verifier(const Module& module, size_t self) : module_(module), function_(module.functions[self]), self_(self) {}

  void run(Names known) {
    if (known == Names::any) names();
    size_t defined = function_.parameters.size();
    if (defined > function_.values.size()) fail("has more parameters than values");
    for (const Op& op : function_.ops) {
      verify(op, defined);
      defined += op.result_count;
    }
    if (defined != function_.values.size()) fail("has values that no op defines");
    for (const ValueId id : function_.results) {
      if (!is_defined(id, defined)) fail("returns a value that is not defined");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Error(module_.source + ": @" + function_.name, what); }
  [[noreturn]] void fail(const Op& op, const std::string& what) const {
    throw Error(describe(module_, function_, op), what);
  }
  static bool is_defined(ValueId id, size_t defined) { return static_cast<int32_t>(id) >= 0 && index(id) < defined; }

  void names() const {
    const auto named = std::count_if(function_.values.begin(), function_.values.end(),
                                     [](const Value& value) { return !value.name.empty(); });
    NameTable seen(static_cast<size_t>(named));
    for (const Value& value : function_.values) {
      if (!value.name.empty() && !seen.insert(value.name, 0)) fail("%" + value.name + " is defined twice");
    }
  }

  void verify(const Op& op, size_t defined) const {
    if (op.attributes == nullptr) fail(op, "has no attribute list");
    if (op.first_result != defined) fail(op, "results are not numbered in the order of definition");
    if (op.first_operand + op.operand_count > function_.operands.size()) fail(op, "operands lie outside the function");
    for (const ValueId id : function_.inputs(op)) {
      if (id != ValueId::none && !is_defined(id, defined))
        fail(op, "uses " + display_name(function_, id) + " before it is defined");
    }
    if (!op.is_call()) return check_list(op);
    if (op.callee < 0 || static_cast<size_t>(op.callee) >= self_)
      fail(op, "calls a function that does not stand above");
    if (const std::string problem = call_problem(*op.attributes); !problem.empty()) fail(op, problem);
    const Function& callee = nth(module_.functions, op.callee);
    if (op.operand_count != callee.parameters.size() || op.result_count != callee.results.size()) {
      fail(op, "does not match the parameters and results of @" + callee.name);
    }
  }

  // MPIReduce([%a, %b], 1): the brackets hold values.
  void check_list(const Op& op) const {
    if (op.def->list_operand && op.operand_count == 0) fail(op, "takes a list of at least one operand");
  }

  const Module& module_;
  const Function& function_;
  const size_t self_;
};

// Functions that follow calls may recurse, so this limits the depth of their stacks.
constexpr int kDeepestCall = 256;

int depth_of_calls(const Function& function, const std::vector<int>& depths) {
  int deepest = 0;
  for (const Op& op : function.ops) {
    if (op.is_call()) deepest = std::max(deepest, nth(depths, op.callee) + 1);
  }
  return deepest;
}

}  // namespace

void verify(const Module& module) { verify(module, Names::any); }

void verify(const Module& module, Names known) {
  std::set<std::string_view> names;
  std::vector<int> depths;
  for (size_t i = 0; i < module.functions.size(); ++i) {
    const std::string& name = module.functions[i].name;
    if (!names.insert(name).second) throw Error(module.source, "the function @" + name + " is defined twice");
    Verifier(module, i).run(known);
    depths.push_back(depth_of_calls(module.functions[i], depths));
    if (depths.back() > kDeepestCall) {
      throw Error(module.source + ": @" + name, "calls are nested more than " + std::to_string(kDeepestCall) + " deep");
    }
  }
}

}  // namespace foreflow::ir
