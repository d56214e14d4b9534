#include "cost/data_kernels.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"

namespace foreflow::cost {
namespace {

// A shorter time is also that of the events around the kernel and of a cache that was overwritten before it.
constexpr double kShortest = 1e-4;  // s

using Dims = std::vector<double>;

// The shapes of "MatMul(bf16[8x16] bf16[16x4]) -> bf16[8x4]" that are in bf16, in this order.
std::vector<Dims> shapes_of(const std::string& signature, const std::string& where) {
  constexpr std::string_view kType = "bf16[";
  std::vector<Dims> shapes;
  for (size_t at = signature.find(kType); at != std::string::npos; at = signature.find(kType, at)) {
    at += kType.size();
    Dims& shape = shapes.emplace_back();
    for (const std::string& size : split(signature.substr(at, signature.find(']', at) - at), 'x')) {
      const auto value = parse_number<double>(size);
      if (!value || !(*value > 0) || *value > 1e12)
        throw Error(where, "signature has the size \"" + size + "\"; write numbers above 0");
      shape.push_back(*value);
    }
  }
  return shapes;
}

double elements(const Dims& shape) { return std::accumulate(shape.begin(), shape.end(), 1.0, std::multiplies<>()); }

}  // namespace

std::vector<Measured> kernels_in_training(const FieldsOfRow& row, const std::string&) {
  const std::string& op = row.text("op");
  const double seconds  = row.number("seconds");
  if (row.text("dtype") != "bf16" || seconds < kShortest) return {};
  if (op != "MatMul" && op != "Gemm" && op != "FusedMatMul") return {};
  const std::vector<Dims> shapes = shapes_of(row.text("signature"), row.where());
  if (shapes.size() < 3 || shapes[1].size() < 2)
    throw Error(row.where(), "signature is \"" + row.text("signature") + "\"; write two operands and a result in bf16");
  constexpr double kAligned = 8;  // elements in 16 bytes
  if (std::any_of(shapes.begin(), shapes.end(),
                  [](const Dims& shape) { return std::fmod(shape.back(), kAligned) != 0; }))
    return {};
  const Dims &second = shapes[1], &result = shapes.back();
  const double batch = elements(Dims(second.begin(), second.end() - 2)), n = result.back();
  const double m = elements(result) / (n * batch), k = elements(second) / (n * batch);
  return {{"product", "bf16 in training", {{m, n, k, 2, 2, 0, batch}, seconds}}};
}

}  // namespace foreflow::cost
