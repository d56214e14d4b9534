#include <algorithm>

#include "foreflow/base/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/shapes.h"
#include "foreflow/transform/samples.h"

namespace foreflow::scenario {
namespace {

bool names_the_batch(const std::string& dimension) {
  std::string name = dimension;
  std::transform(name.begin(), name.end(), name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return name.find("batch") != std::string::npos || name == "n";
}

// The dimension of an input that counts samples, as its name says; 0 where none does.
size_t batch_dimension(const onnx::Port& input) {
  const auto found = std::find_if(input.dimensions.begin(), input.dimensions.end(), names_the_batch);
  return found == input.dimensions.end() ? 0 : static_cast<size_t>(found - input.dimensions.begin());
}

}  // namespace

onnx::Imported with_samples_first(onnx::Imported imported) {
  if (imported.inputs.empty() || batch_dimension(imported.inputs[0]) == 0) return imported;
  const ir::Function& entry = imported.module.entry();
  std::map<size_t, size_t> moved;
  for (onnx::Port& input : imported.inputs) {
    const size_t dim = batch_dimension(input);
    if (dim == 0) continue;
    for (size_t i = 0; i < entry.parameters.size(); ++i) {
      const ir::TypeRef& type = entry.values[i].annotation;
      if (entry.values[i].name != input.value || type == nullptr || type->dims.size() != input.dimensions.size())
        continue;
      moved.emplace(i, dim);
      const auto place = input.dimensions.begin() + static_cast<std::ptrdiff_t>(dim);
      std::rotate(input.dimensions.begin(), place, place + 1);
    }
  }
  imported.module = transform::with_dimension_first(imported.module, ops::table(), moved);
  return imported;
}

}  // namespace foreflow::scenario
