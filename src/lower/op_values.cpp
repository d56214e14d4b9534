#include "lower/op_values.h"

#include <algorithm>

#include "foreflow/base/error.h"

namespace foreflow::lower {

std::vector<ir::Type> OpValues::input_types(const ir::Op& op) const {
  std::vector<ir::Type> types;
  types.reserve(op.operand_count);
  for (const ir::ValueId id : function_.inputs(op)) types.push_back(id == ir::ValueId::none ? ir::Type() : type(id));
  return types;
}

std::vector<ir::Type> OpValues::output_types(const ir::Op& op) const {
  std::vector<ir::Type> types;
  types.reserve(op.result_count);
  for (uint32_t i = 0; i < op.result_count; ++i) types.push_back(type(function_.output(op, i)));
  return types;
}

std::vector<const ir::Array*> OpValues::known_inputs(const ir::Op& op) const {
  std::vector<const ir::Array*> known;
  known.reserve(op.operand_count);
  for (const ir::ValueId id : function_.inputs(op))
    known.push_back(id == ir::ValueId::none ? nullptr : instance_.values[ir::index(id)].known.get());
  return known;
}

bool OpValues::knows_outputs(const ir::Op& op) const {
  for (uint32_t i = 0; i < op.result_count; ++i) {
    if (instance_.values[op.first_result + i].known == nullptr) return false;
  }
  return true;
}

std::span<const uint64_t> OpValues::words(const ir::Op& op) {
  words_.resize(size_t{3} + op.operand_count + op.result_count);
  auto word = words_.begin();
  *word++   = reinterpret_cast<uint64_t>(op.def);
  *word++   = attributes_.of(op.attributes);
  *word++   = op.operand_count;
  for (const ir::ValueId id : function_.inputs(op))
    *word++ = id == ir::ValueId::none ? ~uint64_t{0} : instance_.values.number(ir::index(id));
  for (uint32_t i = 0; i < op.result_count; ++i) *word++ = instance_.values.number(op.first_result + i);
  return words_;
}

void OpValues::check_resolved(const ir::Op& op, const std::vector<ir::Type>& types) const {
  for (const ir::Type& candidate : types) {
    if (candidate.resolved() || candidate == ir::Type()) continue;
    throw Error(ir::describe(module_, function_, op),
                "has a value of unknown shape, " + ir::to_string(candidate) +
                    "; give the shapes of all inputs, and the numbers of those that decide shapes");
  }
}

}  // namespace foreflow::lower
