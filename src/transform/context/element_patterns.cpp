#include "transform/context/element_patterns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "transform/rewrite/elementwise.h"
#include "transform/rewrite/factor_text.h"
#include "transform/rewrite/op_types.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;
using MaybePattern = std::optional<Pattern>;

constexpr double kLargestWhole = 0x1p52;  // of numbers that arrays give as doubles, safely exact

// The result of an op of positions x and y: x * factor + y * other + more, or true where that is 0 or more.
struct PositionRule {
  std::string_view op;
  int64_t factor, other, more;
  bool asks;
};

// Positions are whole numbers, so x < y says y - x - 1 >= 0.
constexpr std::array kPositionRules = {
    PositionRule{"Add", 1, 1, 0, false},      PositionRule{"Sub", 1, -1, 0, false},
    PositionRule{"Greater", 1, -1, -1, true}, PositionRule{"GreaterOrEqual", 1, -1, 0, true},
    PositionRule{"Less", -1, 1, -1, true},    PositionRule{"LessOrEqual", -1, 1, 0, true},
};

// Interprets one op after another, in the order of the function.
class PatternReader {
 public:
  explicit PatternReader(const KnownFunction& of) : of_(of), patterns_(of.function.values.size()) {}

  std::vector<MaybePattern> run() && {
    for (const ir::Op& op : of_.function.ops) {
      if (op.is_call()) continue;
      for (uint32_t i = 0; i < op.result_count; ++i) patterns_[op.first_result + i] = of_elements(op, i);
      if (op.result_count == 1 && !patterns_[op.first_result]) patterns_[op.first_result] = of_op(op);
    }
    return std::move(patterns_);
  }

 private:
  const ir::Type& type(ValueId id) const { return of_.known.entry().values[ir::index(id)].type; }

  MaybePattern of_elements(const ir::Op& op, uint32_t result) const {
    const ir::Array* elements = of_.elements(of_.function.output(op, result));
    return elements == nullptr ? std::nullopt : pattern_of_elements(*elements);
  }

  MaybePattern of_op(const ir::Op& op) const {
    const ir::Type& made = type(of_.function.output(op, 0));
    if (!made.resolved() || !made.is_tensor() || ir::element_count(made.dims) <= 0) return std::nullopt;
    return pattern_of(op, made);
  }

  const Pattern* input(const ir::Op& op, size_t i) const {
    const auto inputs = of_.function.inputs(op);
    if (i >= inputs.size() || inputs[i] == ValueId::none || !patterns_[ir::index(inputs[i])]) return nullptr;
    return &*patterns_[ir::index(inputs[i])];
  }

  MaybePattern pattern_of(const ir::Op& op, const ir::Type& made) const {
    const ir::OpDef& def = *op.def;
    if (def.sizes == ir::Sizes::filled) return filled(op, made);
    if (def.name == "Range") return range(op, made);
    const Pattern* x = input(op, 0);
    if (x == nullptr) return std::nullopt;
    if (def.copy == ir::Copy::same || keeps_all(op, made)) return *x;
    if (def.copy == ir::Copy::permuted) return permuted(op, *x);
    if (def.copy == ir::Copy::ones_moved || def.sizes == ir::Sizes::shape) return seen_as(op, made, *x);
    if (def.sizes == ir::Sizes::expanded) return stretched(made, *x);
    if (def.name == "Trilu") return triangle(op, *x);
    if (def.copy == ir::Copy::converted && std::holds_alternative<Affine>(*x)) return exact(std::get<Affine>(*x), made);
    if (auto positions = of_positions(op, made)) return positions;
    return of_choices(op, made);
  }

  // Positions, if numbers of the type of the value are exact.
  static MaybePattern exact(const std::optional<Affine>& form, const ir::Type& made) {
    return form && is_exact(*form, made.dims, made.dtype) ? MaybePattern(*form) : std::nullopt;
  }

  static MaybePattern filled(const ir::Op& op, const ir::Type& made) {
    const ir::Array* value = op.attributes->find_array("value");
    if (value != nullptr && value->size() != 1) return std::nullopt;
    const ir::Array number = value == nullptr ? ir::Array(made.dtype, {1}) : value->reshaped({1});
    return Bordered{affine_number(made.dims.size(), 0), number, number};
  }

  MaybePattern range(const ir::Op& op, const ir::Type& made) const {
    const auto inputs = of_.function.inputs(op);
    const auto start = whole(of_.number(inputs[0])), delta = whole(of_.number(inputs[2]));
    if (!start || !delta) return std::nullopt;
    return exact(Affine{{made.dims[0] == 1 ? 0 : *delta}, *start}, made);
  }

  static std::optional<int64_t> whole(const std::optional<double>& number) {
    if (!number || std::abs(*number) > kLargestWhole || std::trunc(*number) != *number) return std::nullopt;
    return static_cast<int64_t>(*number);
  }

  // Returns true for a Slice that takes every element in its order: as many of each dimension, without a step back.
  bool keeps_all(const ir::Op& op, const ir::Type& made) const {
    constexpr size_t kSteps = 4;  // the operand
    const auto inputs       = of_.function.inputs(op);
    if (op.def->name != "Slice" || of_.dims(inputs[0]) != made.dims) return false;
    std::vector<int64_t> steps = op.attributes->find_ints("steps").value_or(std::vector<int64_t>());
    if (inputs.size() > kSteps && inputs[kSteps] != ValueId::none) {
      const ir::Array* known = of_.elements(inputs[kSteps]);
      if (known == nullptr) return false;
      steps = known->to_ints();
    }
    return std::all_of(steps.begin(), steps.end(), [](int64_t step) { return step > 0; });
  }

  // The pattern with another form, which `f` makes of the form; nothing if it makes none.
  template <class F>
  static MaybePattern with_form(const Pattern& pattern, const F& f) {
    if (const auto* positions = std::get_if<Affine>(&pattern)) {
      const std::optional<Affine> form = f(*positions);
      return form ? MaybePattern(*form) : std::nullopt;
    }
    const auto& choice               = std::get<Bordered>(pattern);
    const std::optional<Affine> form = f(choice.where);
    return form ? MaybePattern(chosen(*form, choice.on, choice.off)) : std::nullopt;
  }

  static MaybePattern permuted(const ir::Op& op, const Pattern& x) {
    return with_form(x, [&](const Affine& form) -> std::optional<Affine> {
      const auto order  = op.attributes->find_ints("perm");
      Affine turned     = form;
      const size_t rank = form.factors.size();
      if (order && order->size() != rank) return std::nullopt;
      for (size_t d = 0; d < rank; ++d)
        turned.factors[d] = form.factors[order ? static_cast<size_t>((*order)[d]) : rank - 1 - d];
      return turned;
    });
  }

  // The same elements in their order, in a shape that differs only in dimensions of 1; where all elements are equal, in
  // any shape.
  MaybePattern seen_as(const ir::Op& op, const ir::Type& made, const Pattern& x) const {
    const ir::Dims& from = of_.dims(of_.function.inputs(op)[0]);
    return with_form(x, [&](const Affine& form) {
      return form.varies() ? with_ones_moved(form, from, made.dims)
                           : std::optional(affine_number(made.dims.size(), form.constant));
    });
  }

  static MaybePattern stretched(const ir::Type& made, const Pattern& x) {
    return with_form(x, [&](const Affine& form) { return std::optional(with_rank(form, made.dims.size())); });
  }

  // The part that a Trilu leaves of a pattern that has at most its own diagonal as a border.
  MaybePattern triangle(const ir::Op& op, const Pattern& x) const {
    const auto* choice  = std::get_if<Bordered>(&x);
    const auto diagonal = diagonal_of(op);
    if (choice == nullptr || !diagonal) return std::nullopt;
    const size_t rank    = choice->where.factors.size();
    const ir::Dims& dims = of_.dims(of_.function.inputs(op)[0]);
    const bool upper     = op.attributes->int_or("upper", 1) != 0;
    const auto least     = combined(affine_number(rank, *diagonal), -1, affine_number(rank, upper ? 0 : 1), -1);
    if (!least) return std::nullopt;
    Affine above = *least;  // 0 or more above the diagonal; with `upper` on it, too
    if (dims[rank - 2] > 1) above.factors[rank - 2] = -1;
    if (dims[rank - 1] > 1) above.factors[rank - 1] = 1;
    const ir::Array zero(choice->on.dtype(), {1});
    const Bordered kept = upper ? chosen(above, one(), none()) : chosen(above, none(), one());
    const auto where    = border_of({choice, &kept});
    if (!where) return std::nullopt;
    return chosen(*where, is_one(kept.on) ? choice->on : zero, is_one(kept.off) ? choice->off : zero);
  }

  static ir::Array truth(bool is) {
    const std::array<bool, 1> bits = {is};
    return ir::Array::of<bool>(ir::DType::boolean, {1}, bits);
  }
  static ir::Array one() { return truth(true); }
  static ir::Array none() { return truth(false); }
  static bool is_one(const ir::Array& flag) { return flag.at(0) != 0; }

  // The diagonal of a Trilu, which an attribute or operand 1 states; nothing if it is not known.
  std::optional<int64_t> diagonal_of(const ir::Op& op) const {
    const auto stated = op.attributes->find_ints("k");
    if (stated) return stated->size() == 1 ? std::optional(stated->front()) : std::nullopt;
    const auto inputs = of_.function.inputs(op);
    if (inputs.size() < 2 || inputs[1] == ValueId::none) return 0;
    return whole(of_.number(inputs[1]));
  }

  // The form of the choices that vary, if all have the same; that of a number, if none does.
  static std::optional<Affine> border_of(const std::vector<const Bordered*>& choices) {
    const Bordered* border = choices.front();
    for (const Bordered* choice : choices) {
      if (!choice->where.varies()) continue;
      if (border->where.varies() && border->where != choice->where) return std::nullopt;
      border = choice;
    }
    return border->where;
  }

  // The form of an operand that is positions or one whole number everywhere.
  static std::optional<Affine> positions_of(const Pattern* pattern) {
    if (pattern == nullptr) return std::nullopt;
    if (const auto* positions = std::get_if<Affine>(pattern)) return *positions;
    const auto& choice = std::get<Bordered>(*pattern);
    const auto number  = choice.where.varies() || choice.on.dtype() == ir::DType::boolean
                             ? std::nullopt
                             : whole(std::optional(choice.on.at(0)));
    return number ? std::optional(affine_number(choice.where.factors.size(), *number)) : std::nullopt;
  }

  MaybePattern of_positions(const ir::Op& op, const ir::Type& made) const {
    const auto rule = std::find_if(kPositionRules.begin(), kPositionRules.end(),
                                   [&](const PositionRule& one) { return one.op == op.def->name; });
    if (rule == kPositionRules.end() || op.operand_count != 2) return std::nullopt;
    const auto x = positions_of(input(op, 0)), y = positions_of(input(op, 1));
    if (!x || !y) return std::nullopt;
    const auto both = combined(*x, rule->factor, *y, rule->other);
    const auto form = both ? combined(*both, 1, affine_number(0, 1), rule->more) : std::nullopt;
    if (!form) return std::nullopt;
    if (!rule->asks) return form->varies() ? exact(form, made) : of_choices(op, made);
    return chosen(*form, one(), none());
  }

  // An op that works element by element, once on the numbers of all operands where the form is below 0 and once on the
  // others.
  MaybePattern of_choices(const ir::Op& op, const ir::Type& made) const {
    const OpTypes types(of_.function, op, of_.known.entry().values);
    std::vector<const Bordered*> choices;
    for (size_t i = 0; i < op.operand_count; ++i) {
      const Pattern* x   = input(op, i);
      const auto* choice = x == nullptr ? nullptr : std::get_if<Bordered>(x);
      if (choice == nullptr) return std::nullopt;
      choices.push_back(choice);
    }
    if (!op.def->foldable || op.def->eval == nullptr || !broadcasts(types.call())) return std::nullopt;
    std::vector<Bordered> stretched;
    for (const Bordered* choice : choices)
      stretched.push_back({with_rank(choice->where, made.dims.size()), choice->on, choice->off});
    for (size_t i = 0; i < choices.size(); ++i) choices[i] = &stretched[i];
    const auto where = border_of(choices);
    if (!where) return std::nullopt;
    return chosen(*where, evaluated(types, choices, true), evaluated(types, choices, false));
  }

  // Returns true if each element of the result depends on those with its index, where the last dimensions are aligned.
  static bool broadcasts(const ir::OpCall& call) {
    if (!is_elementwise(call)) return false;
    const FactorText text = parse_factors(call.def.factors(call).text);
    return std::all_of(text.inputs.begin(), text.inputs.end(), [&](const std::string& letters) {
      const std::string& made = text.outputs[0];
      if (letters.size() > made.size()) return false;
      const size_t more = made.size() - letters.size();
      for (size_t d = 0; d < letters.size(); ++d) {
        if (letters[d] != '.' && letters[d] != made[more + d]) return false;
      }
      return true;
    });
  }

  // The result of the op on one number of each choice.
  static ir::Array evaluated(const OpTypes& types, const std::vector<const Bordered*>& choices, bool on) {
    std::vector<ir::Array> numbers;
    for (size_t i = 0; i < choices.size(); ++i)
      numbers.push_back((on ? choices[i]->on : choices[i]->off).reshaped(ir::Dims(types.inputs[i].dims.size(), 1)));
    std::vector<ir::Type> inputs;
    std::vector<const ir::Array*> known;
    for (const ir::Array& number : numbers) {
      inputs.push_back(number.type());
      known.push_back(&number);
    }
    const ir::OpCall whole = types.call();
    return whole.def.eval({whole.def, whole.attributes, inputs, known, 1})[0].reshaped({1});
  }

  const KnownFunction& of_;
  std::vector<MaybePattern> patterns_;
};

}  // namespace

ElementPatterns::ElementPatterns(const KnownFunction& of) : patterns_(PatternReader(of).run()) {}

}  // namespace foreflow::transform
