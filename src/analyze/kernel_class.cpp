#include "analyze/kernel_class.h"

#include <algorithm>

#include "foreflow/base/text.h"

namespace foreflow::analyze {
namespace {

bool has(std::string_view letters, char letter) { return letters.find(letter) != std::string_view::npos; }

// All letters of `part` are in `whole`.
bool within(std::string_view part, std::string_view whole) {
  return std::all_of(part.begin(), part.end(), [&](char c) { return c == '.' || c == '+' || has(whole, c); });
}

// A dimension that must stay whole and is not just a 1.
bool keeps_dimension_whole(std::string_view letters, const ir::Type& type) {
  for (size_t axis = 0; axis < std::min(letters.size(), type.dims.size()); ++axis) {
    if (letters[axis] == '.' && type.dims[axis] > 1) return true;
  }
  return false;
}

KernelClass from_factors(const ir::OpCall& call, std::span<const ir::Type> outputs, const ir::Work& work) {
  const ir::Factors factors = call.def.factors(call);
  const size_t arrow        = factors.text.find("->");
  if (factors.rule != ir::Factors::Rule::letters || arrow == std::string::npos) return KernelClass::none;
  const std::vector<std::string> inputs = split(std::string_view(factors.text).substr(0, arrow), ',');
  const std::string output              = split(std::string_view(factors.text).substr(arrow + 2), ',').front();
  const bool like_first                 = outputs[0].dims == call.inputs[0].dims;
  const bool some_has_all =
      std::any_of(inputs.begin(), inputs.end(), [&](const std::string& in) { return within(output, in); });
  const bool nothing_summed =
      std::all_of(inputs.begin(), inputs.end(), [&](const std::string& in) { return within(in, output); });
  const bool row = keeps_dimension_whole(output, outputs[0]);
  if (!some_has_all && (!nothing_summed || row))
    return work.flops > Flops(0) ? KernelClass::product : KernelClass::none;
  if (!nothing_summed || (!row && keeps_dimension_whole(inputs[0], call.inputs[0])))
    return call.def.reduction ? KernelClass::reduction : KernelClass::none;
  // Batch normalization as inference has it: a factor and a sum for each channel.
  if (!row || !call.def.statistics.empty()) return KernelClass::element_wise;
  return like_first ? KernelClass::row_wise : KernelClass::none;
}

}  // namespace

KernelClass kernel_class(const Subject& subject, const ir::Op& op) {
  const ir::Role role = op.def->role;
  const bool runs     = role == ir::Role::compute || role == ir::Role::view;
  if (!runs || op.operand_count == 0 || op.result_count == 0 || subject.on_host(op) || !subject.resolved(op))
    return KernelClass::none;
  return subject.apply(op, [&](const ir::OpCall& call, std::span<const ir::Type> outputs) {
    if (!outputs[0].is_tensor() || !call.inputs[0].is_tensor()) return KernelClass::none;
    const ir::Work work = op.def->work(call, outputs);
    if (role == ir::Role::view) return work.kernels == 0 ? KernelClass::free_view : KernelClass::none;
    return from_factors(call, outputs, work);
  });
}

}  // namespace foreflow::analyze
