#include "property/op_samples.h"

#include <cmath>

#include "ops/common/kernel.h"

namespace foreflow::test {

std::vector<std::string> op_names() { return ops::table().names(); }

ir::Array random_array(const ir::Type& type, std::mt19937_64& rng) {
  if (type.is_tuple()) {
    std::vector<ir::Array> elements;
    for (const ir::Type& element : type.elements) elements.push_back(random_array(element, rng));
    return ir::Array::tuple(std::move(elements));
  }
  std::uniform_real_distribution<double> real(-1.5, 1.5);
  std::uniform_int_distribution<int> bit(0, 1);
  std::vector<double> numbers(static_cast<size_t>(element_count(type.dims)));
  for (double& number : numbers) number = ir::is_float(type.dtype) ? real(rng) : bit(rng);
  return ops::array_of(type.dtype, type.dims, numbers);
}

std::vector<Operand> random_operands(const ir::OpDef::Sample& sample, std::mt19937_64& rng) {
  std::vector<Operand> operands;
  for (const ir::Type& type : sample.inputs) {
    operands.push_back(
        {.type = type, .array = type.kind == ir::Type::Kind::unknown ? ir::Array() : random_array(type, rng)});
  }
  for (const auto& [index, array] : sample.values) {
    operands[index].array = array;
    operands[index].given = true;
  }
  return operands;
}

Application::Application(const ir::OpDef& def, ir::Attributes attributes, const std::vector<Operand>& operands,
                         size_t outputs)
    : def_(def), attributes_(std::move(attributes)), operands_(operands), outputs_(outputs) {
  for (const Operand& operand : operands_) {
    types_.push_back(operand.left_out() ? ir::Type{} : operand.array.type(device_of(operand.type)));
    const ir::Device device = device_of(operand.type);
    unknown_.push_back(operand.left_out() ? ir::Type{} : ir::Type::on(device.placed() ? device : ir::Device(1)));
    known_.push_back(operand.left_out() ? nullptr : &operand.array);
    fixed_.push_back(operand.given ? &operand.array : nullptr);
    nothing_.push_back(nullptr);
  }
}

::testing::AssertionResult close(const ir::Array& a, const ir::Array& b, double tolerance) {
  if (a.is_tuple() != b.is_tuple() || a.dims() != b.dims() || a.elements().size() != b.elements().size()) {
    return ::testing::AssertionFailure() << to_string(a.type()) << " beside " << to_string(b.type());
  }
  for (size_t e = 0; e < a.elements().size(); ++e) {
    if (const auto result = close(a.elements()[e], b.elements()[e], tolerance); !result) return result;
  }
  for (int64_t i = 0; i < a.size(); ++i) {
    const double x = a.at(i), y = b.at(i);
    if ((std::isnan(x) && std::isnan(y)) || x == y) continue;
    if (!(std::fabs(x - y) <= tolerance * std::max(1.0, std::fabs(y)))) {
      return ::testing::AssertionFailure() << "element " << i << " is " << x << ", not " << y;
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace foreflow::test
