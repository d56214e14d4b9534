#include "flat_program.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "foreflow/base/nth.h"

namespace foreflow::bench {

std::string flat_program(int ops) {
  constexpr int kDevices = 8;
  std::string text       = "func @flat(";
  std::vector<std::string> chain;
  for (int d = 1; d <= kDevices; ++d) {
    text += fmt::format("{0}%w{1}: Tensor[Float32, (64, 64), {1}], %x{1}: Tensor[Float32, (64, 64), {1}]",
                        d > 1 ? ", " : "", d);
    chain.push_back("%x" + std::to_string(d));
  }
  text += ") {\n";
  const auto out = std::back_inserter(text);
  for (int i = 0; i < ops / kDevices; ++i) {
    for (int d = 1; d <= kDevices; ++d) {
      std::string& value     = nth(chain, d - 1);
      const int next         = d % kDevices + 1;
      const std::string name = fmt::format("%v{}_{}", i, d);
      switch (i % 4) {
        case 0: fmt::format_to(out, "  {}: D{} = MatMul({}, %w{})\n", name, d, value, d); break;
        case 1: fmt::format_to(out, "  {}: D{} = Relu({})\n", name, d, value); break;
        case 2: fmt::format_to(out, "  {}: D{} = Add({}, %w{})\n", name, d, value, d); break;
        default: fmt::format_to(out, "  {}: D{} = Send({}, {})\n", name, next, value, next); break;
      }
      value = name;
    }
    if (i % 4 == 3) std::rotate(chain.begin(), chain.end() - 1, chain.end());
  }
  return text + "  return " + chain.front() + "\n}\n";
}

}  // namespace foreflow::bench
