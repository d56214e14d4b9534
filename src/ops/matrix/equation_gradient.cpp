#include "ops/matrix/equation_gradient.h"

#include "ops/common/elementwise.h"
#include "ops/common/letters.h"
#include "ops/matrix/equation.h"

namespace foreflow::ops {

namespace {

char fresh_label(const std::string& used) {
  char label = 'a';
  while (used.find(label) != std::string::npos) label = label == 'z' ? 'A' : static_cast<char>(label + 1);
  return label;
}

// The equation of the gradient of one operand: that of the result and the other operands -> the operand. Labels that
// only this operand has get a factor of ones; each repeated label gets a label of its own and an identity matrix.
class GradientEquation {
 public:
  GradientEquation(GradBuilder& builder, const Equation& equation, size_t index)
      : builder_(builder), equation_(equation), index_(index), used_(equation.labels()) {
    add(equation.result, builder.output_gradient(0));
    for (size_t i = 0; i < equation.operands.size(); ++i) {
      if (i != index) add(equation.operands[i], builder.input(i));
    }
    for (const char label : equation.operands[index]) add_result_label(label);
  }

  int emit() {
    for (char& label : text_) label = letter_of(label);
    for (char& label : result_) label = letter_of(label);
    return builder_.emit("Einsum", {{"equation", text_ + "->" + result_}}, operands_)[0];
  }

  Dims dims() const { return dims_; }

 private:
  void add(const std::string& labels, int handle) {
    text_ += (operands_.empty() ? "" : ",") + labels;
    operands_.push_back(handle);
  }

  void add_constant(const std::string& labels, const Dims& dims, const std::vector<double>& values) {
    const DType dtype = tensor_operand(builder_.call(), 0).dtype;
    add(labels, builder_.emit("Constant", {{"value", array_of(dtype, dims, values)}}, {})[0]);
  }

  void add_result_label(char label) {
    const int64_t size = size_of_label(builder_.call(), equation_, label);
    const auto n       = static_cast<size_t>(size);
    dims_.push_back(size);
    if (result_.find(label) != std::string::npos) {
      std::vector<double> identity(n * n);
      for (size_t i = 0; i < n; ++i) identity[i * (n + 1)] = 1;
      const char fresh = fresh_label(used_);
      used_ += fresh;
      add_constant({label, fresh}, {size, size}, identity);
      label = fresh;
    } else if (!supplied(label, size)) {
      add_constant({label}, {size}, std::vector<double>(n, 1));
    }
    result_ += label;
  }

  // Returns true if the result or another operand has the label in its full size.
  bool supplied(char label, int64_t size) const {
    if (equation_.result.find(label) != std::string::npos) return true;
    for (size_t i = 0; i < equation_.operands.size(); ++i) {
      const size_t axis = equation_.operands[i].find(label);
      if (i != index_ && axis != std::string::npos && builder_.call().inputs[i].dims[axis] == size) return true;
    }
    return false;
  }

  // The dimensions of an ellipsis get letters.
  char letter_of(char label) {
    if (label < '0' || label > '9') return label;
    for (const auto& [digit, letter] : letters_) {
      if (digit == label) return letter;
    }
    letters_.emplace_back(label, fresh_label(used_));
    used_ += letters_.back().second;
    return letters_.back().second;
  }

  GradBuilder& builder_;
  const Equation& equation_;
  size_t index_;
  std::string used_, text_, result_;
  std::vector<int> operands_;
  std::vector<std::pair<char, char>> letters_;
  Dims dims_;
};

}  // namespace

void grad_einsum(GradBuilder& builder) {
  const OpCall& call = builder.call();
  if (!splittable(call)) call.fail("the shapes of all operands must be known to differentiate");
  const Equation equation = equation_of(call);
  for (size_t i = 0; i < call.arity(); ++i) {
    if (!builder.wanted(i)) continue;
    GradientEquation gradient(builder, equation, i);
    const Type own = tensor_operand(call, i);
    const int full = gradient.emit();
    builder.set_input_gradient(i, reduce_to(builder, full, with_dims(own, gradient.dims()), own));
  }
}

}  // namespace foreflow::ops
