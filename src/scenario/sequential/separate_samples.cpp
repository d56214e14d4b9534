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
    shrink();
  }

  int64_t batch() const { return batch_; }  // 0: the inputs are closed

  // The types of all parameters in a batch of `samples`; where `small`, the other open dimensions are small, too.
  std::vector<ir::Type> types(int64_t samples, bool small) const {
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
          dims[d] = dims[d] > kSmallest ? small_.at(dims[d]) : dims[d];
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

  // Chooses small sizes for the open dimensions that count no samples. Equal sizes stay equal, larger ones larger, and
  // what is a little more than another, or the sum of two others, stays so: past positions, new ones, and all.
  void shrink() {
    std::set<int64_t> sizes;
    for (const auto& [number, input] : inputs_) {
      const ir::Dims dims = type(number).dims;
      for (size_t d = 0; d < dims.size() && d < input->dimensions.size(); ++d) {
        const std::string& symbol = input->dimensions[d];
        if (is_open(symbol) && !counts_samples(symbol, d, dims[d]) && dims[d] > kSmallest) sizes.insert(dims[d]);
      }
    }
    int64_t next = kSmallest;
    for (const int64_t size : sizes) {
      const int64_t chosen = std::min(size, std::max(next, sum_of_others(size)));
      small_.emplace(size, chosen);
      next = chosen + 1;
    }
  }

  // 0: it is no sum.
  int64_t sum_of_others(int64_t size) const {
    for (const auto& [other, small] : small_) {
      const int64_t rest = size - other;
      if (rest <= kSmallest) return small + rest;
      if (const auto second = small_.find(rest); second != small_.end()) return small + second->second;
    }
    return 0;
  }

  const ir::Function& entry_;
  std::map<size_t, const onnx::Port*> inputs_;  // by parameter
  std::set<std::string> inner_;                 // names of dimensions that are not outermost
  std::string symbol_;
  int64_t batch_ = 0;
  std::map<int64_t, int64_t> small_;  // by size
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
