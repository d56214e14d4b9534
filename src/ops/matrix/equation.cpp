#include "ops/matrix/equation.h"

#include <algorithm>
#include <cctype>

#include "foreflow/base/text.h"

namespace foreflow::ops {

namespace {

constexpr std::string_view kEllipsis = "...";

std::string without_spaces(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

std::string ellipsis_labels(size_t count) {
  std::string labels;
  for (size_t i = count; i-- > 0;) labels += static_cast<char>('0' + static_cast<char>(i));
  return labels;
}

void check_labels(const OpCall& call, const std::string& term) {
  for (const char label : term) {
    if (std::isalpha(static_cast<unsigned char>(label)) == 0)
      call.fail("label '" + std::string(1, label) + "' of the equation is no letter");
  }
}

// "a...b" with the labels of the dimensions that the letters leave.
std::string expanded(const OpCall& call, std::string term, size_t rank) {
  const size_t dots = term.find(kEllipsis);
  if (dots != std::string::npos) term.erase(dots, kEllipsis.size());
  check_labels(call, term);
  if (term.size() > rank || (dots == std::string::npos && term.size() < rank)) {
    call.fail("the equation has " + std::to_string(term.size()) + " labels for an operand of rank " +
              std::to_string(rank));
  }
  return dots == std::string::npos ? term : term.insert(dots, ellipsis_labels(rank - term.size()));
}

// Without "->": the ellipsis, then the labels that come once, in alphabetical order.
std::string implicit_result(const std::vector<std::string>& terms) {
  std::string all;
  for (const std::string& term : terms) all += term;
  std::string result;
  if (all.find('.') != std::string::npos) result = kEllipsis;
  std::sort(all.begin(), all.end());
  for (const char label : all) {
    if (label != '.' && std::count(all.begin(), all.end(), label) == 1) result += label;
  }
  return result;
}

}  // namespace

std::string Equation::labels() const {
  std::string all = result, labels;
  for (const std::string& operand : operands) all += operand;
  for (const char label : all) {
    if (labels.find(label) == std::string::npos) labels += label;
  }
  return labels;
}

bool Equation::repeats(char label) const {
  return std::any_of(operands.begin(), operands.end(), [label](const std::string& operand) {
    return std::count(operand.begin(), operand.end(), label) > 1;
  });
}

Equation equation_of(const OpCall& call) {
  const std::string text = without_spaces(call.attributes.string_or("equation", ""));
  const size_t arrow     = text.find("->");
  const auto terms       = split(text.substr(0, arrow), ',');
  if (call.arity() == 0) call.fail("has no operands; at least one would be right");
  if (terms.size() != call.arity()) {
    call.fail("the equation \"" + text + "\" has " + std::to_string(terms.size()) + " terms for " +
              std::to_string(call.arity()) + " operands");
  }
  Equation equation;
  size_t ellipsis = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    equation.operands.push_back(expanded(call, terms[i], tensor_operand(call, i).dims.size()));
    ellipsis = std::max<size_t>(
        ellipsis, static_cast<size_t>(std::count_if(equation.operands[i].begin(), equation.operands[i].end(),
                                                    [](unsigned char label) { return std::isdigit(label) != 0; })));
  }
  const std::string result = arrow == std::string::npos ? implicit_result(terms) : text.substr(arrow + 2);
  const bool stretches     = result.find(kEllipsis) != std::string::npos;
  equation.result =
      expanded(call, result, result.size() - (stretches ? kEllipsis.size() : 0) + (stretches ? ellipsis : 0));
  for (const char label : equation.result) {
    const bool known =
        std::any_of(equation.operands.begin(), equation.operands.end(),
                    [label](const std::string& operand) { return operand.find(label) != std::string::npos; });
    if (!known || std::count(equation.result.begin(), equation.result.end(), label) > 1) {
      call.fail("label '" + std::string(1, label) + "' of the result should be in an operand, and once in the result");
    }
  }
  return equation;
}

int64_t size_of_label(const OpCall& call, const Equation& equation, char label) {
  int64_t size = 1;
  for (size_t i = 0; i < equation.operands.size(); ++i) {
    const Dims dims = tensor_operand(call, i).dims;
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      if (equation.operands[i][axis] != label || dims[axis] == 1) continue;
      if (size > 1 && dims[axis] > 1 && dims[axis] != size) {
        call.fail("label '" + std::string(1, label) + "' is " + std::to_string(size) + " and " +
                  std::to_string(dims[axis]) + "; one size would be right");
      }
      size = dims[axis] == Dims::kUnknown && size > 1 ? size : dims[axis];
    }
  }
  return size;
}

}  // namespace foreflow::ops
