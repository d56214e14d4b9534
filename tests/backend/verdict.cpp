#include "backend/verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "foreflow/interpret/concrete.h"
#include "foreflow/onnx/import.h"
#include "foreflow/onnx/tensor_file.h"
#include "foreflow/ops/table.h"

namespace foreflow::backend {
namespace {

namespace fs = std::filesystem;

// The tensors of a stored value: one, or those of a sequence or of an optional value.
std::vector<ir::Array> read_value(const fs::path& path, bool is_tensor) {
  if (is_tensor) return {onnx::read_tensor_file(path.string()).array};
  return onnx::read_sequence_file(path.string());
}

struct Inputs {
  onnx::Given given;
  std::vector<ir::Array> arrays;  // with the elements of sequences one by one
};

Inputs read_inputs(const fs::path& model, const fs::path& data) {
  Inputs inputs;
  const auto stated = onnx::stated_inputs(model.string());
  for (size_t i = 0; i < stated.size(); ++i) {
    const fs::path path = data / fmt::format("input_{}.pb", i);
    if (!fs::exists(path)) break;
    const auto& [name, form] = stated[i];
    const auto values        = read_value(path, form == onnx::Form::tensor);
    if (values.empty()) inputs.given.absent.insert(name);
    for (size_t k = 0; k < values.size(); ++k) {
      inputs.given.inputs.emplace(onnx::is_sequence(form) ? fmt::format("{}/{}", name, k) : name, values[k]);
      inputs.arrays.push_back(values[k]);
    }
  }
  return inputs;
}

// output_0.pb, output_1.pb, ... as many as there are.
std::vector<ir::Array> read_outputs(const fs::path& model, const fs::path& data) {
  const auto forms = onnx::stated_outputs(model.string());
  std::vector<ir::Array> arrays;
  for (size_t i = 0; i < forms.size(); ++i) {
    const fs::path path = data / fmt::format("output_{}.pb", i);
    if (!fs::exists(path)) break;
    for (const ir::Array& array : read_value(path, forms[i].form == onnx::Form::tensor)) arrays.push_back(array);
  }
  return arrays;
}

double largest(const ir::Array& array) {
  double size = 0;
  for (int64_t i = 0; i < array.size(); ++i) size = std::max(size, std::abs(array.at(i)));
  return std::isfinite(size) ? size : 0;
}

// Neighbouring 16-bit floats near 0 differ by more than 1e-7, bfloat16 numbers of the data are truncated, and sums in
// Float32 that cancel leave the rounding of their terms.
std::string difference(const ir::Array& got, const ir::Array& stored) {
  const ir::Array expected = onnx::as_wanted(stored, got.dtype());
  if (got.dtype() != expected.dtype() || got.dims() != expected.dims()) {
    return ir::to_string(got.type()) + " instead of " + ir::to_string(expected.type());
  }
  const bool narrow     = ir::is_float(expected.dtype()) && ir::size_of(expected.dtype()) < 4;
  const double relative = expected.dtype() == ir::DType::bf16 ? 0x1p-7 : 1e-3,
               absolute = narrow ? 1e-3 : std::max(1e-7, 1e-7 * largest(expected));
  for (int64_t i = 0; i < got.size(); ++i) {
    const double a = got.at(i), b = expected.at(i);
    if (a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= absolute + relative * std::abs(b)) continue;
    return fmt::format("element {} is {} instead of {}", i, a, b);
  }
  return {};
}

std::vector<ir::Array> arguments_of(const onnx::Imported& imported, const std::vector<ir::Array>& inputs) {
  const ir::Function& main = imported.module.entry();
  std::vector<ir::Array> arguments;
  for (size_t i = 0; i < main.parameters.size(); ++i) {
    const ir::Value& parameter = main.values[i];
    if (i >= inputs.size()) {
      arguments.push_back(imported.weights.at(parameter.name));
    } else {
      const ir::Array& input = inputs[i];
      arguments.push_back(parameter.annotation ? onnx::as_wanted(input, parameter.annotation->dtype) : input);
    }
  }
  return arguments;
}

// Empty when every output of this data set is as expected. Control flow may depend on the inputs, so each set has an
// import of its own.
std::string run_data_set(const fs::path& model, const fs::path& data) {
  const Inputs inputs           = read_inputs(model, data);
  const auto expected           = read_outputs(model, data);
  const onnx::Imported imported = onnx::import_model(model.string(), ops::table(), onnx::Numbers::read, inputs.given);
  const auto results            = interpret::evaluate(imported.module, 0, arguments_of(imported, inputs.arrays));
  if (results.size() != expected.size())
    return fmt::format("{}: {} results instead of {}", data.filename().string(), results.size(), expected.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string what = difference(results[i], expected[i]);
    if (!what.empty()) return fmt::format("{}, output {}: {}", data.filename().string(), i, what);
  }
  return {};
}

}  // namespace

Verdict run_test(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (const auto reason = reason_by_name(name)) return {Outcome::not_supported, *reason, "cannot be compared"};
  try {
    std::set<fs::path> sets;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.is_directory()) sets.insert(entry.path());
    }
    for (const fs::path& set : sets) {
      const std::string what = run_data_set(folder / "model.onnx", set);
      if (!what.empty()) return {Outcome::failed, {}, what};
    }
    return {Outcome::passed, {}, {}};
  } catch (const Error& error) {
    return {Outcome::not_supported, reason_by_message(error.what()), error.what()};
  }
}

}  // namespace foreflow::backend
