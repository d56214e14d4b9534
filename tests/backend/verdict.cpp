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

// PREFIX_0.pb, PREFIX_1.pb, ... as many as there are.
std::vector<onnx::NamedArray> read_all(const fs::path& folder, const std::string& prefix) {
  std::vector<onnx::NamedArray> arrays;
  for (fs::path path; fs::exists(path = folder / fmt::format("{}_{}.pb", prefix, arrays.size()));) {
    arrays.push_back(onnx::read_tensor_file(path.string()));
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

std::vector<ir::Array> arguments_of(const onnx::Imported& imported, const std::vector<onnx::NamedArray>& inputs) {
  const ir::Function& main = imported.module.entry();
  std::vector<ir::Array> arguments;
  for (size_t i = 0; i < main.parameters.size(); ++i) {
    const ir::Value& parameter = main.values[i];
    if (i >= inputs.size()) {
      arguments.push_back(imported.weights.at(parameter.name));
    } else {
      const ir::Array& input = inputs[i].array;
      arguments.push_back(parameter.annotation ? onnx::as_wanted(input, parameter.annotation->dtype) : input);
    }
  }
  return arguments;
}

// Where an input is no tensor, the model says best why: it takes a sequence, or has ops of them.
std::vector<onnx::NamedArray> read_inputs(const fs::path& model, const fs::path& data) {
  try {
    return read_all(data, "input");
  } catch (const Error&) {
    onnx::import_model(model.string(), ops::table());
    throw;
  }
}

// Empty when every output of this data set is as expected. Control flow may depend on the inputs, so each set has an
// import of its own.
std::string run_data_set(const fs::path& model, const fs::path& data) {
  const auto inputs = read_inputs(model, data), expected = read_all(data, "output");
  onnx::Given given;
  for (const onnx::NamedArray& input : inputs) given.inputs.emplace(input.name, input.array);
  const onnx::Imported imported = onnx::import_model(model.string(), ops::table(), onnx::Numbers::read, given);
  const auto results            = interpret::evaluate(imported.module, 0, arguments_of(imported, inputs));
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string what = difference(results[i], expected.at(i).array);
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
