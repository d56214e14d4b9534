#include <fmt/core.h>

#include <set>

#include "binary/file.h"
#include "binary/tables.h"
#include "foreflow/ir/attribute_names.h"
#include "foreflow/ir/most_operands.h"
#include "foreflow/ir/names.h"
#include "foreflow/ir/text.h"

namespace foreflow::binary {
namespace {

// Rebuilds one program. Nothing in the message is trusted: counts are those of lists that the file really holds, so
// memory is bounded by its size.
class Reader {
 public:
  Reader(const pb::Module& message, const std::string& name, const ir::OpTable& ops)
      : message_(message), name_(name), tables_(message, name) {
    for (const pb::OpName& row : message.ops()) ops_.push_back(find_op(row, ops));
  }

  ir::Module run() {
    module_.source = name_;
    for (const pb::Function& function : message_.functions()) read(function);
    ir::verify(module_);
    return std::move(module_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}: function {}", name_, module_.functions.size() + 1), what);
  }

  const ir::OpDef* find_op(const pb::OpName& row, const ir::OpTable& ops) const {
    const ir::OpDef& op       = ops.get(tables_.text(row.name()), name_);
    const std::string& domain = tables_.text(row.domain());
    if (op.domain == domain) return &op;
    throw Error(name_,
                fmt::format("uses the op {} of the domain \"{}\"; here it is of \"{}\"", op.name, domain, op.domain));
  }

  void read(const pb::Function& message) {
    check_lists(message);
    ir::Function function;
    function.name = tables_.text(message.name());
    if (!ir::is_name(function.name)) fail(fmt::format("\"{}\" cannot name a function", function.name));
    for (const int role : message.parameters()) {
      if (!pb::Function::Role_IsValid(role)) fail(fmt::format("a parameter has the unknown role {}", role));
      function.parameters.push_back(role == pb::Function::WEIGHT ? ir::ParameterRole::weight : ir::ParameterRole::data);
    }
    function.values.reserve(static_cast<size_t>(message.value_names_size()));
    function.ops.reserve(static_cast<size_t>(message.op_kinds_size()));
    function.operands.reserve(static_cast<size_t>(message.operands_size()));
    for (int i = 0; i < message.value_names_size(); ++i) {
      const std::string& name = tables_.text(message.value_names(i));
      if (!name.empty() && !ir::is_name(name)) fail(fmt::format("\"{}\" cannot name a value", name));
      function.values.push_back({name, tables_.type(message.value_types(i))});
    }
    for (int i = 0; i < message.op_kinds_size(); ++i) add_op(message, i, function);
    for (const uint32_t operand : message.operands()) function.operands.push_back(value_of(operand, function));
    check_operands(function);
    for (const uint32_t result : message.results()) {
      if (result >= function.values.size()) fail("returns a value that it does not have");
      function.results.push_back(value_of(result + 1, function));
    }
    check_names(function);
    module_.functions.push_back(std::move(function));
  }

  // Text calls the value number n without a name %vn, so no other may have that name.
  void check_names(const ir::Function& function) const {
    std::set<std::string_view> numbers;
    for (const ir::Value& value : function.values) {
      if (value.name.starts_with('v')) numbers.insert(value.name);
    }
    const auto check = [&](ir::ValueId id) {
      if (id == ir::ValueId::none || !function.value(id).name.empty()) return;
      const std::string own = fmt::format("v{}", ir::index(id));
      if (numbers.contains(own)) fail(fmt::format("a value has the name {}, which is how text calls another", own));
    };
    if (numbers.empty()) return;
    for (size_t i = 0; i < function.parameters.size(); ++i) check(static_cast<ir::ValueId>(i));
    for (const ir::ValueId id : function.operands) check(id);
    for (const ir::ValueId id : function.results) check(id);
  }

  // The lists that have an entry for each value or op.
  void check_lists(const pb::Function& message) const {
    uint64_t values = static_cast<uint64_t>(message.parameters_size()), operands = 0;
    for (const uint32_t count : message.result_counts()) values += count;
    for (const uint32_t count : message.operand_counts()) operands += count;
    const int ops = message.op_kinds_size();
    if (message.op_attributes_size() != ops || message.operand_counts_size() != ops ||
        message.result_counts_size() != ops) {
      fail("its lists of ops differ in length");
    }
    if (!is(message.value_names_size(), values) || !is(message.value_types_size(), values)) {
      fail(fmt::format("defines {} values, but describes {}", values, message.value_names_size()));
    }
    if (!is(message.operands_size(), operands)) {
      fail(fmt::format("has {} operands for ops that take {}", message.operands_size(), operands));
    }
  }
  static bool is(int size, uint64_t count) { return static_cast<uint64_t>(size) == count; }

  ir::ValueId value_of(uint32_t number, const ir::Function& function) const {
    if (number > function.values.size()) fail(fmt::format("uses value {} of {}", number, function.values.size()));
    return static_cast<ir::ValueId>(static_cast<int32_t>(number) - 1);
  }

  // Each op is checked once with each list of attributes.
  void check_attributes(const ir::Op& op, int i) {
    if (op.is_call() || op.attributes->empty() || !checked_.emplace(op.def, op.attributes.get()).second) return;
    for (const auto& [name, value] : *op.attributes) {
      if (const std::string problem = ir::attribute_problem(*op.def, name); !problem.empty())
        fail(fmt::format("op {}: {}", i + 1, problem));
    }
  }

  void check_operands(const ir::Function& function) const {
    for (size_t i = 0; i < function.ops.size(); ++i) {
      const ir::Op& op = function.ops[i];
      if (op.is_call()) continue;
      if (const std::string problem = ir::operand_problem(*op.def, function.inputs(op)); !problem.empty())
        fail(fmt::format("op {}: {}", i + 1, problem));
    }
  }

  void add_op(const pb::Function& message, int i, ir::Function& function) {
    const int32_t kind = message.op_kinds(i);
    ir::Op op;
    if (kind == 0 || (kind > 0 && static_cast<size_t>(kind) > ops_.size()))
      fail(fmt::format("op {} has the unknown number {}", i + 1, kind));
    if (kind > 0) op.def = ops_[static_cast<size_t>(kind) - 1];
    if (kind < 0) op.callee = -(kind + 1);
    if (op.is_call() && static_cast<size_t>(op.callee) >= module_.functions.size()) {
      fail(fmt::format("op {} calls a function that does not stand above", i + 1));
    }
    op.attributes = tables_.attributes(message.op_attributes(i));
    check_attributes(op, i);
    op.operand_count = message.operand_counts(i);
    op.result_count  = message.result_counts(i);
    if (op.result_count == 0) fail(fmt::format("op {} has no result", i + 1));
    if (!function.ops.empty()) {
      const ir::Op& before = function.ops.back();
      op.first_operand     = before.first_operand + before.operand_count;
      op.first_result      = before.first_result + before.result_count;
    } else {
      op.first_result = static_cast<uint32_t>(function.parameters.size());
    }
    function.ops.push_back(std::move(op));
  }

  const pb::Module& message_;
  const std::string& name_;
  const Tables tables_;
  std::vector<const ir::OpDef*> ops_;
  std::set<std::pair<const ir::OpDef*, const ir::Attributes*>> checked_;
  ir::Module module_;
};

}  // namespace

ir::Module read(std::string_view bytes, const std::string& name, const ir::OpTable& ops) {
  pb::Module message;
  if (!message.ParseFromString(unwrap(bytes, name)))
    throw Error(name, "is damaged: its program is no message; write it again");
  return Reader(message, name, ops).run();
}

}  // namespace foreflow::binary
