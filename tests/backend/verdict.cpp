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

std::vector<ir::Array> read_arrays(const fs::path& folder, const std::string& prefix, size_t count) {
  std::vector<ir::Array> arrays;
  for (size_t i = 0; i < count; ++i) {
    arrays.push_back(onnx::read_tensor_file((folder / fmt::format("{}_{}.pb", prefix, i)).string()).array);
  }
  return arrays;
}

// Neighbouring 16-bit floats near 0 differ by more than 1e-7, and bfloat16 numbers of the data are truncated.
std::string difference(const ir::Array& got, const ir::Array& stored) {
  const ir::Array expected = onnx::as_wanted(stored, got.dtype());
  if (got.dtype() != expected.dtype() || got.dims() != expected.dims()) {
    return ir::to_string(got.type()) + " instead of " + ir::to_string(expected.type());
  }
  const bool narrow     = ir::is_float(expected.dtype()) && ir::size_of(expected.dtype()) < 4;
  const double relative = expected.dtype() == ir::DType::bf16 ? 0x1p-7 : 1e-3, absolute = narrow ? 1e-3 : 1e-7;
  for (int64_t i = 0; i < got.size(); ++i) {
    const double a = got.at(i), b = expected.at(i);
    if (a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= absolute + relative * std::abs(b)) continue;
    return fmt::format("element {} is {} instead of {}", i, a, b);
  }
  return {};
}

std::vector<ir::Array> arguments_of(const onnx::Imported& imported, std::vector<ir::Array> inputs) {
  const ir::Function& main = imported.module.entry();
  for (size_t i = 0; i < main.parameters.size(); ++i) {
    const ir::TypeRef& stated = main.values[i].annotation;
    if (i >= inputs.size()) {
      inputs.push_back(imported.weights.at(main.values[i].name));
    } else if (stated) {
      inputs[i] = onnx::as_wanted(inputs[i], stated->dtype);
    }
  }
  return inputs;
}

// Empty when every output of this data set is as expected.
std::string run_data_set(const onnx::Imported& imported, const fs::path& data) {
  const auto inputs   = read_arrays(data, "input", imported.inputs.size());
  const auto expected = read_arrays(data, "output", imported.outputs.size());
  const auto results  = interpret::evaluate(imported.module, 0, arguments_of(imported, inputs));
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
    const onnx::Imported imported = onnx::import_model((folder / "model.onnx").string(), ops::table());
    std::set<fs::path> sets;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.is_directory()) sets.insert(entry.path());
    }
    for (const fs::path& set : sets) {
      const std::string what = run_data_set(imported, set);
      if (!what.empty()) return {Outcome::failed, {}, what};
    }
    return {Outcome::passed, {}, {}};
  } catch (const Error& error) {
    return {Outcome::not_supported, reason_by_message(error.what()), error.what()};
  }
}

}  // namespace foreflow::backend
