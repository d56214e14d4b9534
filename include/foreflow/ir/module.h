// DistIR programs: the computation of all devices in SSA form.
// The values of a function are numbered in the order of their definitions: parameters first, then the results of each
// op.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "foreflow/base/nth.h"
#include "foreflow/ir/op_def.h"
#include "foreflow/ir/value_table.h"

namespace foreflow::ir {

enum class ValueId : int32_t { none = -1 };  // none: an optional operand that is absent
constexpr size_t index(ValueId id) { return static_cast<size_t>(id); }

using AttributesRef = std::shared_ptr<const Attributes>;  // never null in an Op

struct Op {
  const OpDef* def = nullptr;  // null for a call
  AttributesRef attributes;
  int32_t callee         = -1;                    // a call: index into Module::functions
  uint32_t first_operand = 0, operand_count = 0;  // into Function::operands
  uint32_t first_result = 0, result_count = 0;    // value numbers
  uint32_t line = 0;                              // in the source text, for messages; 0: unknown

  bool is_call() const { return def == nullptr; }
};

// Returns true if the op overwrites some rows of a cache, its first operand.
inline bool writes_rows(const Op& op) { return !op.is_call() && op.def->in_place == InPlace::rows; }

// weight: a trained weight or an optimizer state, which persists from step to step. data: everything else.
enum class ParameterRole : uint8_t { data, weight };

struct Function {
  std::string name;  // without '@'
  ValueTable values;
  std::vector<ParameterRole> parameters;  // of values 0 .. parameters.size()-1
  std::vector<Op> ops;
  std::vector<ValueId> operands;
  std::vector<ValueId> results;

  std::span<const ValueId> inputs(const Op& op) const { return {operands.data() + op.first_operand, op.operand_count}; }
  ValueId output(const Op& op, size_t i) const { return static_cast<ValueId>(op.first_result + i); }
  const Value& value(ValueId id) const { return nth(values, id); }
};

// A program. A function comes after all functions that it calls; the last one is the entry.
struct Module {
  std::string source;  // file name, for messages
  std::vector<Function> functions;

  const Function& entry() const { return functions.back(); }
  // Null when there is none.
  const Function* find(std::string_view name) const;
};

// The index of function `name`, or of the entry if `name` is empty. Throws Error with the nearest name if there is
// none.
size_t find_entry(const Module& module, std::string_view name);

// Returns true if names, ops, attributes and annotations are equal, so that both print the same text.
bool same_program(const Module& a, const Module& b);

// The name of an op in messages: "mlp.distir:12: @mlp: %h = Gemm".
std::string describe(const Module& module, const Function& function, const Op& op);

}  // namespace foreflow::ir
