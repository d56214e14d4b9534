#include "ops/experts/moe.h"

namespace foreflow::ops {

std::vector<Seat> seats(const Array& gates, int64_t capacity) {
  const auto values = values_of<double>(gates);
  const auto groups = static_cast<size_t>(gates.dims()[0]), tokens = static_cast<size_t>(gates.dims()[1]),
             experts = static_cast<size_t>(gates.dims()[2]);
  const auto places  = static_cast<size_t>(capacity);
  std::vector<Seat> all;
  for (size_t e = 0; e < experts; ++e) {
    for (size_t g = 0; g < groups; ++g) {
      size_t taken = 0;
      for (size_t s = 0; s < tokens && taken < places; ++s) {
        const size_t token = g * tokens + s, gate = token * experts + e;
        if (values[gate] != 0) all.push_back({token, (e * groups + g) * places + taken++, gate});
      }
    }
  }
  return all;
}

Type ranked_operand(const OpCall& call, size_t index, size_t rank) {
  Type type = tensor_operand(call, index);
  if (has_rank(type) && type.dims.size() != rank) {
    call.fail("operand " + std::to_string(index) + " is " + to_string(type.dims) + "; it should have " +
              std::to_string(rank) + " dimensions");
  }
  return type;
}

void check_same(const OpCall& call, std::string_view letter, int64_t a, int64_t b) {
  if (a == Dims::kUnknown || b == Dims::kUnknown || a == b) return;
  call.fail("has " + std::to_string(a) + " and " + std::to_string(b) + " for " + std::string(letter) +
            "; one number would be right");
}

bool weighs(const OpCall& call) { return call.attributes.int_or("weighted", 0) != 0; }

Array sparse_gates() {
  constexpr size_t kExperts = 4;
  const Dims dims{2, 5, kExperts};
  std::vector<float> gates(static_cast<size_t>(element_count(dims)));
  for (size_t token = 0; token < gates.size() / kExperts; ++token) {
    gates[token * kExperts + token % 3] = 0.75F;
    gates[token * kExperts + (token * token + 3) % 4] += 0.25F;
  }
  return Array::of_floats(dims, gates);
}

Array full_gates() {
  const Dims dims{2, 5, 4};
  std::vector<float> gates;
  for (int i = 0; i < element_count(dims); ++i) gates.push_back(0.1F + 0.01F * static_cast<float>(i));
  return Array::of_floats(dims, gates);
}

}  // namespace foreflow::ops
