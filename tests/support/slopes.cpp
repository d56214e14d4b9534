#include "support/slopes.h"

#include <algorithm>
#include <cmath>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/autodiff.h"
#include "ops/common/kernel.h"
#include "transform/autodiff/trained.h"

namespace foreflow::test {
namespace {

using Numbers = std::vector<double>;

ir::Array random_numbers(const ir::Type& type, std::mt19937_64& random, double low, double high) {
  std::uniform_real_distribution<double> real(low, high);
  Numbers numbers(static_cast<size_t>(ir::element_count(type.dims)));
  for (double& number : numbers) number = real(random);
  return ops::array_of(type.dtype, type.dims, numbers);
}

double sum_of(const ir::Array& array) {
  double sum = 0;
  for (const double number : ops::values_of<double>(array)) sum += number;
  return sum;
}

std::vector<ir::Array> run(const ir::Module& module, const std::vector<ir::Array>& arguments) {
  return interpret::evaluate(module, module.functions.size() - 1, arguments);
}

struct Slope {
  size_t parameter;
  double difference, gradient;
};

Slope slope_of(const ir::Module& loss, std::vector<ir::Array> arguments, size_t parameter, const ir::Array& gradient,
               std::mt19937_64& random) {
  constexpr double kStep = 1e-6;
  const ir::Array here   = arguments[parameter];
  const Numbers at = ops::values_of<double>(here), slopes = ops::values_of<double>(gradient);
  const Numbers direction = ops::values_of<double>(random_numbers(here.type(), random, -1, 1));
  const auto moved_by     = [&](double step) {
    Numbers numbers = at;
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] += step * direction[i];
    arguments[parameter] = ops::array_of(here.dtype(), here.dims(), numbers);
    return sum_of(run(loss, arguments).at(0));
  };
  Slope slope{parameter, (moved_by(kStep) - moved_by(-kStep)) / (2 * kStep), 0};
  for (size_t i = 0; i < slopes.size(); ++i) slope.gradient += slopes[i] * direction[i];
  return slope;
}

}  // namespace

ir::Module in_double(const ir::Module& module) {
  ir::Module result = module;
  for (ir::Function& function : result.functions) {
    for (ir::Value& value : function.values) {
      if (value.annotation == nullptr || !value.annotation->is_tensor() || !ir::is_float(value.annotation->dtype))
        continue;
      ir::Type wide    = *value.annotation;
      wide.dtype       = ir::DType::f64;
      value.annotation = std::make_shared<const ir::Type>(std::move(wide));
    }
    for (ir::Op& op : function.ops) {
      ir::Attributes attributes = *op.attributes;
      for (const auto& [name, attribute] : *op.attributes) {
        if (const auto* array = std::get_if<ir::Array>(&attribute); array != nullptr && ir::is_float(array->dtype())) {
          attributes.set(name, ops::array_of(ir::DType::f64, array->dims(), ops::values_of<double>(*array)));
        }
        const auto* word = std::get_if<std::string>(&attribute);
        const auto dtype = word != nullptr ? ir::find_dtype(*word) : std::nullopt;
        if (dtype && ir::is_float(*dtype)) attributes.set(name, "Float64");
      }
      op.attributes = std::make_shared<const ir::Attributes>(std::move(attributes));
    }
  }
  return result;
}

std::vector<ir::Array> moderate_arguments(const ir::Module& module, std::mt19937_64& random, int64_t below,
                                          const std::string& mask) {
  std::uniform_int_distribution<int64_t> integer(0, below - 1);
  const ir::Function& entry = module.entry();
  std::vector<ir::Array> arguments;
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    const ir::Type& type = *entry.values[i].annotation;
    const bool is_mask   = entry.values[i].name.find(mask) != std::string::npos;
    if (is_mask || !ir::is_float(type.dtype)) {
      std::vector<int64_t> numbers(static_cast<size_t>(ir::element_count(type.dims)));
      for (int64_t& number : numbers) number = is_mask ? 1 : integer(random);
      arguments.push_back(ops::array_of(type.dtype, type.dims, numbers));
    } else if (type.dims.size() < 2) {
      arguments.push_back(random_numbers(type, random, 0.5, 1.5));
    } else {
      const double terms = static_cast<double>(ir::element_count(type.dims)) / static_cast<double>(type.dims[0]);
      const bool weight  = entry.parameters[i] == ir::ParameterRole::weight;
      const double reach = weight ? std::sqrt(3 / terms) : 1;
      arguments.push_back(random_numbers(type, random, -reach, reach));
    }
  }
  return arguments;
}

SlopeCheck check_slopes(const ir::Module& loss, const std::vector<ir::Array>& arguments, std::mt19937_64& random,
                        const std::vector<std::string>& weights, size_t most) {
  const ir::Module gradients           = transform::differentiate(loss, ops::table(), transform::Inputs::none, weights);
  const std::vector<bool> trained      = transform::trained_parameters(loss, weights);
  const std::vector<ir::Array> results = run(gradients, arguments);
  const auto count                     = static_cast<size_t>(std::count(trained.begin(), trained.end(), true));
  const size_t first = results.size() - count, stride = std::max<size_t>((count + most - 1) / most, 1);
  std::vector<Slope> slopes;
  size_t seen = 0;
  for (size_t i = 0; i < trained.size(); ++i) {
    if (!trained[i]) continue;
    if (seen % stride == 0) slopes.push_back(slope_of(loss, arguments, i, results[first + seen], random));
    ++seen;
  }
  SlopeCheck check;
  double largest = 0;
  for (const Slope& slope : slopes) largest = std::max(largest, std::fabs(slope.difference));
  for (const Slope& slope : slopes) {
    // Differences of a loss near one carry 1e-16 / 1e-6 of noise.
    const double scale = std::max({std::fabs(slope.difference), std::fabs(slope.gradient), 1e-3 * largest, 1e-4});
    const double error = std::fabs(slope.difference - slope.gradient) / scale;
    if (!(error <= check.worst)) {
      check.worst     = error;
      check.parameter = loss.entry().values[slope.parameter].name;
    }
    ++check.parameters;
    if (slope.gradient == 0) ++check.zero;
  }
  return check;
}

}  // namespace foreflow::test
