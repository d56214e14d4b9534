#include "reproduce/kernels.h"

#include <fmt/core.h>

#include <cmath>

#include "foreflow/cost/load.h"
#include "foreflow/ops/table.h"
#include "foreflow/platform/data_sheet.h"
#include "reproduce/measured_file.h"

namespace foreflow::reproduce {
namespace {

cost::CostModel calibrated() {
  const Json parameters = Json::object().set("model", "calibrated");
  return cost::make_model(JsonView(parameters, "reproduce"));
}

}  // namespace

Kernels::Kernels(const std::string& device)
    : model_(calibrated()), device_(platform::device_of(platform::devices().get(device, "reproduce").sheet)) {}

Seconds Kernels::op(std::string_view name, const std::vector<ir::Type>& operands, const ir::Attributes& attributes,
                    size_t results) const {
  const ir::OpDef& def = ops::table().get(name, "reproduce");
  const std::vector<const ir::Array*> unknown(operands.size(), nullptr);
  const ir::OpCall call{def, attributes, operands, unknown, results};
  const std::vector<ir::Type> outputs = def.infer(call);
  return model_.compute({call, outputs}, device_).time;
}

Seconds Kernels::product(ir::DType dtype, double m, double n, double k, double batch) const {
  if (batch == 1) return op("MatMul", {tensor_of(dtype, {m, k}), tensor_of(dtype, {k, n})});
  return op("MatMul", {tensor_of(dtype, {batch, m, k}), tensor_of(dtype, {batch, k, n})});
}

ir::Type tensor_of(ir::DType dtype, const std::vector<double>& sizes) {
  ir::Dims dims;
  for (const double size : sizes) dims.push_back(static_cast<int64_t>(size));
  return ir::Type::tensor(dtype, dims);
}

Result run_kernels(const KernelSet& set, const Options& options) {
  Result result;
  for (size_t f = 0; f < set.files.size(); ++f) {
    for (const Published& row : read_published(measured_file(options, "layers/" + std::string(set.files[f]))))
      set.add(row, set.files[f], result);
    if (options.finished) options.finished(f + 1, set.files.size());
  }
  result.notes.push_back(bias_note("seconds", result));
  return result;
}

void note_groups(Result& result, const std::vector<std::string_view>& groups) {
  for (const std::string_view group : groups) {
    double sum = 0, bias = 0, number = 0;
    for (const Row& row : result.rows) {
      if (!row.name.starts_with(group) || !row.relative_error) continue;
      sum += std::abs(*row.relative_error), bias += *row.relative_error, ++number;
    }
    if (number > 0)
      result.notes.push_back(fmt::format("{}: {} rows, mean error {:.1f} %, of the signed errors {:+.1f} %", group,
                                         number, 100 * sum / number, 100 * bias / number));
  }
}

}  // namespace foreflow::reproduce
