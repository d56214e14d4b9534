#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

InputNumbers read_numbers(const JsonView& json) {
  if (json.json().if_string() != nullptr) return {file_named(json), {}};
  const bool is_list = json.json().if_array() != nullptr;
  bool whole         = true;
  std::vector<double> numbers;
  for (const JsonView& item : is_list ? json.items() : std::vector{json}) {
    whole = whole && item.json().if_int() != nullptr;
    numbers.push_back(item.as_number());
  }
  const ir::Dims dims = is_list ? ir::Dims{static_cast<int64_t>(numbers.size())} : ir::Dims();
  if (!whole) return {"", ir::Array::of<double>(ir::DType::f64, dims, numbers)};
  return {"", ir::Array::of_ints(dims, {numbers.begin(), numbers.end()})};
}

}  // namespace

std::map<std::string, InputNumbers> read_inputs(const JsonView& workload) {
  std::map<std::string, InputNumbers> all;
  if (!workload.has("inputs")) return all;
  for (const auto& [input, numbers] : workload.at("inputs").members()) all.emplace(input, read_numbers(numbers));
  return all;
}

}  // namespace foreflow::scenario
