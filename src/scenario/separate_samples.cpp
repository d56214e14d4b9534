#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "foreflow/ops/table.h"
#include "foreflow/scenario/shapes.h"
#include "foreflow/transform/samples.h"

namespace foreflow::scenario {
namespace {

constexpr int64_t kSmallBatch = 3, kSmallest = 5;

bool is_open(const std::string& dimension) { return dimension.find_first_not_of("0123456789") != std::string::npos; }

// The open dimensions of the inputs, and which of them counts samples.
class OpenDimensions {
 public:
  OpenDimensions(const onnx::Imported& imported, const ir::Module& module) : entry_(module.entry()) {
    for (const onnx::Port& input : imported.inputs) {
      const size_t number = parameter(input.value);
      if (input.dimensions.empty() || number == entry_.parameters.size()) continue;
      inputs_.emplace(number, &input);
      inner_.insert(input.dimensions.begin() + 1, input.dimensions.end());
      if (batch_ > 0 || !is_open(input.dimensions[0]) || type(number).dims.empty()) continue;
      symbol_ = input.dimensions[0];
      batch_  = type(number).dims[0];
    }
  }

  int64_t batch() const { return batch_; }  // 0: the inputs are closed

  // The types of all parameters in a batch of `samples`; where `small`, the other open dimensions are small, too.
  std::vector<ir::Type> types(int64_t samples, bool small) {
    std::vector<ir::Type> all;
    for (size_t i = 0; i < entry_.parameters.size(); ++i) {
      all.push_back(type(i));
      const auto input = inputs_.find(i);
      if (input == inputs_.end()) continue;
      ir::Dims& dims = all.back().dims;
      for (size_t d = 0; d < dims.size() && d < input->second->dimensions.size(); ++d) {
        if (!is_open(input->second->dimensions[d])) continue;
        if (counts_samples(input->second->dimensions[d], d, dims[d])) {
          dims[d] = samples;
        } else if (small) {
          dims[d] = shrunk(dims[d]);
        }
      }
    }
    return all;
  }

 private:
  size_t parameter(const std::string& name) const {
    size_t i = 0;
    while (i < entry_.parameters.size() && entry_.values[i].name != name) ++i;
    return i;
  }

  ir::Type type(size_t i) const {
    const ir::TypeRef& stated = entry_.values[i].annotation;
    return stated == nullptr ? ir::Type() : *stated;
  }

  // Files that name no dimensions write "?" for all of them. Others have a name for the batch of each input: one that
  // is only ever outermost and has the same size.
  bool counts_samples(const std::string& symbol, size_t dim, int64_t size) const {
    const bool outermost = dim == 0 && size == batch_;
    return symbol == symbol_ ? symbol != "?" || outermost : outermost && !inner_.contains(symbol);
  }

  // Equal sizes stay equal, and different ones different.
  int64_t shrunk(int64_t size) {
    if (size <= kSmallest) return size;
    const auto next = std::min(size, kSmallest + static_cast<int64_t>(small_.size()));
    return small_.emplace(size, next).first->second;
  }

  const ir::Function& entry_;
  std::map<size_t, const onnx::Port*> inputs_;  // by parameter
  std::set<std::string> inner_;                 // names of dimensions that are not outermost
  std::string symbol_;
  int64_t batch_ = 0;
  std::map<int64_t, int64_t> small_;
};

}  // namespace

ir::Module with_separate_samples(const onnx::Imported& imported, const ir::Module& module) {
  if (imported.has_control_flow) return module;
  OpenDimensions open(imported, module);
  if (open.batch() < 2) return module;
  transform::OtherBatches others;
  others.batch       = open.batch();
  others.small_batch = kSmallBatch;
  others.one         = open.types(1, false);
  others.small       = open.types(kSmallBatch, true);
  others.small_one   = open.types(1, true);
  return transform::separate_samples(module, ops::table(), others);
}

}  // namespace foreflow::scenario
