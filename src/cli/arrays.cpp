#include "cli/arrays.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "cli/output.h"
#include "cli/program_file.h"
#include "foreflow/base/escape.h"
#include "foreflow/base/suggestion.h"
#include "foreflow/onnx/tensor_file.h"

namespace foreflow::cli {
namespace {

// A BFloat16 number may be the neighbour of the expected one: ONNX's own test data are truncated, not rounded.
double relative_tolerance(ir::DType dtype, const Tolerance& tolerance) {
  return dtype == ir::DType::bf16 ? std::max(tolerance.relative, 0x1p-7) : tolerance.relative;
}

struct Comparison {
  bool same_shape = true;
  double absolute = 0;  // largest |ours - expected|
  double relative = 0;  // largest |ours - expected| / |expected|, where expected is not 0
  bool within     = true;
};

void compare(const ir::Array& ours, const ir::Array& expected, const Tolerance& tolerance, Comparison& comparison) {
  if (ours.dims() != expected.dims() || ours.elements().size() != expected.elements().size()) {
    comparison.same_shape = comparison.within = false;
    return;
  }
  for (size_t e = 0; e < ours.elements().size(); ++e)
    compare(ours.elements()[e], expected.elements()[e], tolerance, comparison);
  const double relative = relative_tolerance(ours.dtype(), tolerance);
  for (int64_t i = 0; i < ours.size(); ++i) {
    const double a = ours.at(i), b = expected.at(i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const double error  = std::isfinite(a - b) ? std::abs(a - b) : std::numeric_limits<double>::infinity();
    comparison.absolute = std::max(comparison.absolute, error);
    if (b != 0) comparison.relative = std::max(comparison.relative, error / std::abs(b));
    comparison.within = comparison.within && error <= tolerance.absolute + relative * std::abs(b);
  }
}

// JSON has no infinity.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json("infinite"); }

}  // namespace

Arrays read_arrays(const std::vector<std::string>& settings, const std::string& option) {
  Arrays arrays;
  for (const std::string& setting : settings) {
    const auto [name, path] = split_setting(setting, option);
    arrays[name]            = onnx::read_tensor_file(path).array;
  }
  return arrays;
}

void check_known(const Arrays& given, const ir::Function& function) {
  std::vector<std::string> names;
  for (size_t i = 0; i < function.parameters.size(); ++i) names.push_back(function.values[i].name);
  for (const auto& [name, array] : given) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw Error("--input " + name, "@" + function.name + " has no such parameter" + suggestion(name, names));
  }
}

void OutputReport::add(const std::string& name, const ir::Array& array, const ir::Array* expected) {
  Json shape = Json::array(), row;
  for (const int64_t dim : array.dims()) shape.push(dim);
  row.set("name", name).set("shape", std::move(shape));
  text_ += fmt::format("{}: {}", escape::terminal(name), ir::to_string(array.type()));
  if (expected != nullptr) {
    ++compared_;
    Comparison comparison;
    compare(array, onnx::as_wanted(*expected, array.dtype()), tolerance_, comparison);
    largest_absolute_ = std::max(largest_absolute_, comparison.absolute);
    largest_relative_ = std::max(largest_relative_, comparison.relative);
    row.set("max_abs_error", number(comparison.absolute));
    row.set("max_rel_error", number(comparison.relative));
    row.set("ok", comparison.within);
    text_ += comparison.same_shape ? fmt::format(", max error {:.3g} absolute, {:.3g} relative{}", comparison.absolute,
                                                 comparison.relative, comparison.within ? "" : "  TOO LARGE")
                                   : fmt::format(", expected the shape {}", ir::to_string(expected->dims()));
    if (!comparison.within) failures_.push_back(name);
  }
  text_ += "\n";
  outputs_.push(std::move(row));
}

std::string OutputReport::summary() const {
  const size_t count = outputs_.if_array()->size();
  std::string text   = fmt::format("{} output{}", count, count == 1 ? "" : "s");
  if (compared_ == 0) return text + "\n";
  return text + fmt::format("; {} compared: largest error {:.3g} absolute, {:.3g} relative\n", compared_,
                            largest_absolute_, largest_relative_);
}

void OutputReport::check(const std::string& file) const {
  if (failures_.empty()) return;
  throw Error(file,
              fmt::format("{} of {} outputs differ by more than {:g} + {:g} x |expected|, the first is {}",
                          failures_.size(), compared_, tolerance_.absolute, tolerance_.relative, failures_.front()));
}

void check_expected(const Arrays& left, const std::vector<std::string>& outputs) {
  if (left.empty()) return;
  const std::string& name = left.begin()->first;
  throw Error("--expect " + name, "there is no such output" + suggestion(name, outputs));
}

void write_outputs(const std::string& folder, const std::vector<ir::Array>& results,
                   const std::vector<std::string>& names) {
  make_folder(folder);
  for (size_t i = 0; i < results.size(); ++i) {
    onnx::write_tensor_file((std::filesystem::path(folder) / fmt::format("output_{}.pb", i)).string(),
                            {names[i], results[i]});
  }
}

}  // namespace foreflow::cli
