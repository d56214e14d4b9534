#include "foreflow/reshard/mesh.h"

#include <cstdint>
#include <limits>
#include <numeric>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"

namespace foreflow::reshard {

int size(const std::vector<int>& shape) { return std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>()); }

Mesh consecutive(std::vector<int> shape, int first) {
  std::vector<int> devices(static_cast<size_t>(size(shape)));
  std::iota(devices.begin(), devices.end(), first);
  return {std::move(shape), std::move(devices)};
}

std::vector<int> parse_shape(std::string_view text, const std::string& where) {
  const Error refusal(where, "\"" + std::string(text) + "\" is no mesh; use HOSTSxDEVICES such as 2x4");
  std::vector<int> shape;
  int64_t devices = 1;
  for (const std::string& extent : split(text, 'x')) {
    const auto number = parse_number<int>(extent);
    if (!number || *number < 1) throw refusal;
    devices *= *number;
    if (devices > std::numeric_limits<int>::max())
      throw Error(where, "a mesh of more than 2147483647 devices is not possible");
    shape.push_back(*number);
  }
  if (shape.empty()) throw refusal;
  return shape;
}

std::string print(const std::vector<int>& shape) {
  std::string text;
  for (const int extent : shape) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

}  // namespace foreflow::reshard
