#include "transform/recompute/activation_results.h"

#include <algorithm>
#include <optional>

#include "foreflow/ir/fp8.h"
#include "foreflow/ir/uses.h"
#include "transform/recompute/fused_values.h"
#include "transform/rewrite/factor_text.h"
#include "transform/rewrite/op_types.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

class ActivationResults {
 public:
  explicit ActivationResults(const ir::Module& module)
      : function_(module.entry()),
        meaning_(interpret::interpret_mixed(module, module.functions.size() - 1)),
        values_(meaning_.entry().values),
        forward_(forward_ops(function_)),
        makers_(ir::makers_of(function_)),
        readers_(function_.values.size()),
        kept_(function_.values.size()) {
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      for (const ValueId id : function_.inputs(function_.ops[o])) {
        if (id == ValueId::none) continue;
        if (o >= forward_)
          kept_[ir::index(id)] = true;
        else
          readers_[ir::index(id)].push_back(o);
      }
    }
  }

  std::vector<Segment> run() const {
    std::vector<Segment> segments;
    for (size_t o = 0; o < forward_; ++o) {
      Segment segment;
      if (!is_read_by_products(o) || !collect(o, segment)) continue;
      if (const auto copy = fp8_copy(o)) segment.push_back(*copy);
      std::sort(segment.begin(), segment.end());
      segments.push_back(std::move(segment));
    }
    return segments;
  }

 private:
  // Returns true if in the forward pass only products read the result of an op, or its copy in fp8 is made, and if the
  // backward pass reads one of the two.
  bool is_read_by_products(size_t o) const {
    const ir::Op& op = function_.ops[o];
    if (op.result_count != 1) return false;
    const auto copy     = fp8_copy(o);
    const auto& readers = readers_[op.first_result];
    if (kept_[op.first_result] == copy.has_value()) return false;
    return !readers.empty() &&
           std::all_of(readers.begin(), readers.end(), [&](size_t r) { return r == copy || is_product(r); });
  }

  // The op that makes a copy in fp8 of the result, for the backward pass alone.
  std::optional<size_t> fp8_copy(size_t o) const {
    const auto& readers = readers_[function_.ops[o].first_result];
    const auto found    = std::find_if(readers.begin(), readers.end(), [&](size_t r) {
      const ir::Op& op = function_.ops[r];
      return !op.is_call() && op.def->copy == ir::Copy::converted && op.attributes->find(ir::kFp8) != nullptr &&
             readers_[op.first_result].empty() && kept_[op.first_result];
    });
    return found == readers.end() ? std::nullopt : std::optional(*found);
  }

  // A product sums along a dimension that two of its operands have.
  bool is_product(size_t o) const {
    const ir::Op& op = function_.ops[o];
    if (op.is_call() || op.def->role != ir::Role::compute || op.def->factors == nullptr) return false;
    const FactorText text = parse_factors(op.def->factors(OpTypes(function_, op, values_).call()).text);
    return text.outputs.size() == 1 && is_contraction(text);
  }

  // Adds an op that works element by element, with such ops before it that nothing else reads; false if an operand
  // would have to be kept for it.
  bool collect(size_t o, Segment& segment) const {
    const ir::Op& op = function_.ops[o];
    if (!works_by_element(function_, op, values_)) return false;
    for (const ValueId id : function_.inputs(op)) {
      const int32_t maker = makers_[ir::index(id)];
      Segment before;
      if (maker >= 0 && readers_[ir::index(id)].size() == 1 && collect(static_cast<size_t>(maker), before)) {
        segment.insert(segment.end(), before.begin(), before.end());
      } else if (!kept_[ir::index(id)]) {
        return false;
      }
    }
    segment.push_back(o);
    return true;
  }

  const ir::Function& function_;
  const interpret::MixedInterpretation meaning_;
  const interpret::Values<interpret::Mixed>& values_;
  const size_t forward_;
  const std::vector<int32_t> makers_;
  std::vector<std::vector<size_t>> readers_;  // per value: forward ops
  std::vector<bool> kept_;                    // per value: the backward pass reads it
};

}  // namespace

std::vector<Segment> activation_results(const ir::Module& module) { return ActivationResults(module).run(); }

}  // namespace foreflow::transform
