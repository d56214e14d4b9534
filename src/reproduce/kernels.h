// Measured times of single kernels and of operators of a layer, against the price of the op that stands for them: what
// any scenario pays for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/cost/cost.h"
#include "foreflow/ir/attributes.h"
#include "foreflow/ir/type.h"
#include "foreflow/reproduce/reproduce.h"
#include "reproduce/published.h"

namespace foreflow::reproduce {

// Prices of ops on a device under `calibrated`, as the laws that come with Foreflow have them.
class Kernels {
 public:
  // "A100-SXM4-80GB". Throws Error where there is no such data sheet.
  explicit Kernels(const std::string& device);

  Seconds op(std::string_view name, const std::vector<ir::Type>& operands, const ir::Attributes& attributes = {},
             size_t results = 1) const;
  // [m,k] [k,n], or `batch` of them.
  Seconds product(ir::DType dtype, double m, double n, double k, double batch = 1) const;

 private:
  cost::CostModel model_;
  platform::Device device_;
};

// A tensor with sizes that a file states as numbers.
ir::Type tensor_of(ir::DType dtype, const std::vector<double>& sizes);

struct KernelSet {
  std::vector<std::string_view> files;  // in data/layers
  // Adds what a row of `file` measures to the result, if anything.
  void (*add)(const Published& row, std::string_view file, Result& result);
};

// Throws Error when the measurements are not there.
Result run_kernels(const KernelSet& set, const Options& options);

// Adds a note for each of `groups`: the mean error and the bias of the rows whose names begin so.
void note_groups(Result& result, const std::vector<std::string_view>& groups);

}  // namespace foreflow::reproduce
