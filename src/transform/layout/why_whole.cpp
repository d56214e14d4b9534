#include "transform/layout/why_whole.h"

#include "transform/rewrite/factor_text.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

class Reason {
 public:
  Reason(const ir::Function& function, const ir::Op& op, const interpret::Values<LaidOut>& values, int ways)
      : function_(function), op_(op), values_(values), ways_(ways), inputs_(function.inputs(op)) {
    for (const ValueId id : inputs_) {
      const interpret::Mixed* value = id == ValueId::none ? nullptr : &values[ir::index(id)].value;
      types_.push_back(value == nullptr ? ir::Type() : value->type);
      known_.push_back(value != nullptr && value->known ? &*value->known : nullptr);
      layouts_.push_back(value == nullptr ? Layout::whole() : values[ir::index(id)].layout);
    }
  }

  WhyWhole why() const {
    const std::string because = text();
    return {because, because.ends_with(of_row()) ? std::string(op_.def->instead) : ""};
  }

 private:
  std::string text() const {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (layouts_[i].is_partial())
        return "it takes " + name(i) + ", a sum over all samples, of which each part has its own terms only";
    }
    const ir::OpCall call{*op_.def, *op_.attributes, types_, known_, op_.result_count};
    const ir::Factors factors = op_.def->factors(call);
    if (factors.rule == ir::Factors::Rule::linear_view) return view();
    const Decision decision = decide(call, layouts_, ways_);
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (layouts_[i].is_split() && !(decision.inputs[i] == layouts_[i])) return of_split(i, factors, decision);
    }
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (layouts_[i].is_whole() && decision.inputs[i].is_split()) return of_whole(i);
    }
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (layouts_[i].is_split()) return "it runs once, after all samples, and takes " + name(i);
    }
    return of_row();
  }

  std::string name(size_t operand) const {
    const std::string& text = function_.value(inputs_[operand]).name;
    return "%" + (text.empty() ? "v" + std::to_string(ir::index(inputs_[operand])) : text);
  }

  std::string dimension(size_t operand, size_t dim) const {
    return "dimension " + std::to_string(dim) + " of " + name(operand);
  }
  std::string samples(size_t operand) const { return dimension(operand, static_cast<size_t>(layouts_[operand].dim)); }

  std::string of_row() const {
    return op_.def->whole_because.empty() ? "no rule says what it does to a part" : std::string(op_.def->whole_because);
  }

  std::string view() const {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (layouts_[i].is_split()) {
        const std::string to = ir::to_string(values_[op_.first_result].value.type.dims);
        return "samples are counted along " + samples(i) + ", and along no dimension of its result, " + to;
      }
    }
    return of_row();
  }

  // An operand whose samples the op cannot keep apart.
  std::string of_split(size_t operand, const ir::Factors& factors, const Decision& decision) const {
    const FactorText text = parse_factors(factors.text);
    const auto dim        = static_cast<size_t>(layouts_[operand].dim);
    const bool lettered   = operand < text.inputs.size() && dim < text.inputs[operand].size();
    if (!lettered || text.inputs[operand][dim] == '.')
      return "samples are counted along " + samples(operand) + ", and " + of_row();
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (i != operand && layouts_[i].is_split() && decision.inputs[i].is_split())
        return "its operands count samples along different dimensions, " + samples(i) + " and " + samples(operand) +
               ", so each sample meets every other";
    }
    const char letter = text.inputs[operand][dim];
    for (size_t i = 0; i < text.inputs.size() && i < inputs_.size(); ++i) {
      const size_t at = text.inputs[i].find(letter);
      if (at == std::string::npos || inputs_[i] == ValueId::none || at >= types_[i].dims.size()) continue;
      if (types_[i].dims[at] % ways_ != 0)
        return dimension(i, at) + ", " + std::to_string(types_[i].dims[at]) + ", is not a multiple of " +
               std::to_string(ways_);
    }
    return "samples are counted along " + samples(operand) + " in blocks, and it keeps no such blocks together";
  }

  // An operand that would have to be cut, but that no sample has a part of.
  std::string of_whole(size_t operand) const {
    return "it takes " + name(operand) + ", " + ir::to_string(types_[operand].dims) +
           ", for the whole batch, and nothing says which part of it belongs to which sample";
  }

  const ir::Function& function_;
  const ir::Op& op_;
  const interpret::Values<LaidOut>& values_;
  const int ways_;
  std::span<const ValueId> inputs_;
  std::vector<ir::Type> types_;
  std::vector<const ir::Array*> known_;
  std::vector<Layout> layouts_;
};

}  // namespace

WhyWhole why_whole(const ir::Function& function, const ir::Op& op, const interpret::Values<LaidOut>& values, int ways) {
  return Reason(function, op, values, ways).why();
}

}  // namespace foreflow::transform
