#include "ops/experts/expert_products.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "foreflow/base/nth.h"
#include "ops/common/expected.h"
#include "ops/common/gelu_formula.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/packed_bits.h"
#include "ops/common/work.h"

namespace foreflow::ops {

namespace {

constexpr size_t kRouter = 1;

int64_t chosen(const OpCall& call) { return call.attributes.int_or("k", 1); }
int64_t weight_bits(const OpCall& call) { return call.attributes.int_or("expert_weight_bits", 4); }
int64_t block_size(const OpCall& call) { return call.attributes.int_or("block_size", 0); }
std::string activation(const OpCall& call) { return call.attributes.string_or("activation_type", "relu"); }
std::string number_text(int64_t dim) { return dim == Dims::kUnknown ? "?" : std::to_string(dim); }

// Returns true if the gate and what it gates stand in one product.
bool is_joint(const OpCall& call, const ExpertPlaces& places) {
  return activation(call) == "swiglu" && !call.has(places.third.weight);
}

// The number of bytes in which a row of packed numbers is stored.
int64_t stored(const OpCall& call, int64_t in) { return in < 0 ? Dims::kUnknown : (in * weight_bits(call) + 7) / 8; }

// Packed weights and their scales.
int64_t made_by_packed(const OpCall& call, const ProductPlaces& places, int64_t experts, int64_t in) {
  const int64_t bits = weight_bits(call), block = block_size(call);
  if (bits != 2 && bits != 4 && bits != 8)
    call.fail("expert_weight_bits is " + std::to_string(bits) + "; 2, 4 or 8 would be right");
  if (block != 0) check_block_size(call, block);
  check_dims(call, places.weight, {experts, Dims::kUnknown, stored(call, in)}, "a packed weight of the experts");
  const Type w = tensor_operand(call, places.weight);
  if (w.kind != Type::Kind::unknown && w.dtype != DType::u8)
    call.fail("a packed weight of the experts is " + std::string(ir::name(w.dtype)) + "; UInt8 would be right");
  const int64_t out = has_rank(w) ? w.dims[1] : Dims::kUnknown;
  if (block == 0) check_dims(call, places.scale, {experts, out}, "the scales of the experts");
  const int64_t blocks = block == 0 || in < 0 ? Dims::kUnknown : (in + block - 1) / block;
  if (block != 0) check_dims(call, places.scale, {experts, out, blocks}, "the scales of the experts");
  return out;
}

int64_t made_by_plain(const OpCall& call, const ProductPlaces& places, int64_t experts, int64_t in) {
  const Type w = tensor_operand(call, places.weight);
  if (!has_rank(w)) return Dims::kUnknown;
  if (w.dims.size() != 3 || differ(w.dims[0], experts) || (differ(w.dims[1], in) && differ(w.dims[2], in)))
    call.fail("the weights of experts are " + to_string(w.dims) + "; [e,out,in] with " + number_text(experts) +
              " experts that take " + number_text(in) + " numbers would be right");
  if (in == Dims::kUnknown || w.dims[1] == Dims::kUnknown || w.dims[2] == Dims::kUnknown) return Dims::kUnknown;
  return w.dims[w.dims[2] == in ? 1 : 2];
}

// Checks the operands of one product against the number of experts and of what it takes, and returns what it makes.
int64_t made_by(const OpCall& call, const ProductPlaces& places, int64_t experts, int64_t in) {
  const bool packed = places.scale != kNoOperand;
  const int64_t out = packed ? made_by_packed(call, places, experts, in) : made_by_plain(call, places, experts, in);
  check_dims(call, places.bias, {experts, out}, "a bias of the experts");
  return out;
}

void check_weights(const OpCall& call, const ExpertPlaces& places, int64_t experts, int64_t width) {
  const int64_t first  = made_by(call, places.first, experts, width);
  const int64_t hidden = is_joint(call, places) && first > 0 ? first / 2 : first;
  const int64_t second = made_by(call, places.second, experts, hidden);
  if (differ(second, width))
    call.fail("the second product makes " + std::to_string(second) + " numbers; as many as x has, " +
              std::to_string(width) + ", would be right");
  if (!call.has(places.third.weight)) return;
  const int64_t third = made_by(call, places.third, experts, width);
  if (differ(third, first))
    call.fail("the third product makes " + std::to_string(third) + " numbers and the first " + std::to_string(first) +
              "; as many would be right");
}

std::vector<double> unpacked(const OpCall& call, const ProductPlaces& places, int64_t experts, int64_t outer,
                             int64_t inner) {
  const int64_t bits = weight_bits(call), row = stored(call, inner),
                block  = block_size(call) == 0 ? inner : block_size(call);
  const int64_t blocks = (inner + block - 1) / block, middle = int64_t{1} << (bits - 1);
  const PackedBits numbers(value_of(call, places.weight), bits);
  const auto scales = values_of<double>(value_of(call, places.scale));
  std::vector<double> all;
  for (int64_t o = 0; o < experts * outer; ++o) {
    for (int64_t i = 0; i < inner; ++i)
      all.push_back((numbers.at(o, i, row) - static_cast<double>(middle)) * nth(scales, o * blocks + i / block));
  }
  return all;
}

// Weight of one product, as [out,in] of each expert.
struct ExpertProduct {
  std::vector<double> weight, bias;
  int64_t outer = 0, inner = 0;
  bool transposed = false;

  ExpertProduct(const OpCall& call, const ProductPlaces& places, int64_t in) : inner(in) {
    const Array& w    = value_of(call, places.weight);
    const bool packed = places.scale != kNoOperand;
    transposed        = !packed && w.dims()[2] != in;
    outer             = w.dims()[transposed ? 2 : 1];
    weight            = packed ? unpacked(call, places, w.dims()[0], outer, in) : values_of<double>(w);
    if (call.has(places.bias)) bias = values_of<double>(value_of(call, places.bias));
  }

  std::vector<double> operator()(int64_t expert, const std::vector<double>& x) const {
    std::vector<double> y;
    for (int64_t o = 0; o < outer; ++o) {
      double sum = bias.empty() ? 0 : nth(bias, expert * outer + o);
      for (int64_t i = 0; i < inner; ++i) {
        const int64_t at = transposed ? (expert * inner + i) * outer + o : (expert * outer + o) * inner + i;
        sum += nth(weight, at) * nth(x, i);
      }
      y.push_back(sum);
    }
    return y;
  }
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double activated(const OpCall& call, const std::string& name, double x) {
  if (name == "relu") return std::max(x, 0.0);
  if (name == "gelu") return gelu_by_tanh(x);  // as ONNX Runtime's kernel of MoE
  if (name == "silu") return x * sigmoid(x);
  if (name == "identity") return x;
  call.fail("activation_type \"" + name + "\" has no reference kernel; relu, gelu, silu, swiglu and identity have");
}

// g * sigmoid(alpha * g) * (l + beta), both limited, of gates and linear numbers that alternate (swiglu_fusion 1) or
// follow each other (2).
std::vector<double> swiglu(const OpCall& call, const std::vector<double>& both) {
  const int64_t fusion = call.attributes.int_or("swiglu_fusion", 0);
  if (fusion != 1 && fusion != 2)
    call.fail("swiglu_fusion is " + std::to_string(fusion) + " without a third product; 1 or 2 would be right");
  const double alpha = call.attributes.float_or("activation_alpha", 1),
               beta  = call.attributes.float_or("activation_beta", 0),
               limit = call.attributes.float_or("swiglu_limit", std::numeric_limits<double>::infinity());
  const size_t half  = both.size() / 2;
  std::vector<double> y;
  for (size_t i = 0; i < half; ++i) {
    const double gate   = std::min(both[fusion == 1 ? 2 * i : i], limit),
                 linear = std::clamp(both[fusion == 1 ? 2 * i + 1 : half + i], -limit, limit);
    y.push_back(gate * sigmoid(alpha * gate) * (linear + beta));
  }
  return y;
}

// The experts with the largest scores, and their shares: a softmax of all scores, perhaps normalised to a sum of one.
std::vector<std::pair<int64_t, double>> routes(const OpCall& call, const double* scores, int64_t experts) {
  std::vector<int64_t> order(static_cast<size_t>(experts));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return scores[a] > scores[b]; });
  const double largest = scores[order[0]];
  double all           = 0;
  for (int64_t e = 0; e < experts; ++e) all += std::exp(scores[e] - largest);
  std::vector<std::pair<int64_t, double>> taken;
  double sum = 0;
  for (int64_t i = 0; i < chosen(call); ++i) {
    const int64_t expert = nth(order, i);
    taken.emplace_back(expert, std::exp(scores[expert] - largest) / all);
    sum += taken.back().second;
  }
  if (call.attributes.int_or("normalize_routing_weights", 0) == 0) return taken;
  for (auto& [expert, share] : taken) share /= sum;
  return taken;
}

}  // namespace

std::vector<Type> infer_experts(const OpCall& call, const ExpertPlaces& places) {
  if (call.arity() <= places.second.weight) call.fail("needs x, router scores and the weights of two products");
  const Type x = tensor_operand(call, 0), router = tensor_operand(call, kRouter);
  if (chosen(call) < 1) call.fail("k is " + std::to_string(chosen(call)) + "; at least 1 would be right");
  if (has_rank(router) &&
      (router.dims.size() != 2 || (router.dims[1] != Dims::kUnknown && chosen(call) > router.dims[1])))
    call.fail("router scores are " + to_string(router.dims) +
              "; [tokens,experts] with at least k = " + std::to_string(chosen(call)) + " experts would be right");
  if (!has_rank(x)) return {x};
  if (x.dims.empty() || x.dims.back() == 0)
    call.fail("x is " + to_string(x.dims) + "; [..,h] with h of at least 1 would be right");
  const int64_t width = x.dims.back();
  if (has_dims(x) && has_rank(router) && differ(router.dims[0], element_count(x.dims) / width))
    call.fail("router scores are " + to_string(router.dims) + "; one row for each of the " +
              std::to_string(element_count(x.dims) / width) + " tokens would be right");
  check_weights(call, places, has_rank(router) ? router.dims[1] : Dims::kUnknown, width);
  return {x};
}

std::vector<Array> eval_experts(const OpCall& call, const ExpertPlaces& places) {
  if (call.attributes.int_or("use_sparse_mixer", 0) != 0) call.fail("has no reference kernel with use_sparse_mixer");
  const Array& x = value_of(call, 0);
  const auto xs = values_of<double>(x), scores = values_of<double>(value_of(call, kRouter));
  const int64_t width = x.dims().back(), experts = value_of(call, kRouter).dims()[1];
  const bool joint      = is_joint(call, places);
  const std::string act = activation(call) == "swiglu" && !joint ? "silu" : activation(call);
  const ExpertProduct first(call, places.first, width),
      second(call, places.second, joint ? first.outer / 2 : first.outer);
  const bool gates = call.has(places.third.weight);
  const auto third = gates ? std::optional<ExpertProduct>(std::in_place, call, places.third, width) : std::nullopt;
  std::vector<double> y(xs.size());
  for (size_t token = 0; token < xs.size() / static_cast<size_t>(width); ++token) {
    const auto from = xs.begin() + static_cast<int64_t>(token) * width;
    const std::vector<double> row(from, from + width);
    for (const auto& [expert, share] : routes(call, scores.data() + token * static_cast<size_t>(experts), experts)) {
      std::vector<double> hidden = first(expert, row);
      if (joint) {
        hidden = swiglu(call, hidden);
      } else {
        for (double& number : hidden) number = activated(call, act, number);
      }
      if (third) {
        const std::vector<double> other = (*third)(expert, row);
        for (size_t i = 0; i < hidden.size(); ++i) hidden[i] *= other[i];
      }
      const std::vector<double> made = second(expert, hidden);
      for (size_t i = 0; i < made.size(); ++i) y[token * static_cast<size_t>(width) + i] += share * made[i];
    }
  }
  return {array_of(x.dtype(), x.dims(), y)};
}

// Each token goes through k experts, whose weights are read once if any token needs them.
Work work_of_experts(const OpCall& call, std::span<const Type> outputs, const ExpertPlaces& places) {
  const Type router = tensor_operand(call, kRouter);
  if (!has_dims(router)) return moves(call, outputs);
  const double tokens = static_cast<double>(router.dims[0]), experts = static_cast<double>(router.dims[1]),
               routed = tokens * static_cast<double>(chosen(call));
  double elements     = 0;
  Bytes read          = bytes_of(call.inputs[0]) + bytes_of(router);
  for (const ProductPlaces& product : {places.first, places.second, places.third}) {
    for (const size_t i : {product.weight, product.bias, product.scale}) {
      const Type type = call.has(i) ? tensor_operand(call, i) : Type();
      if (!has_dims(type)) continue;
      const bool packed = i == product.weight && product.scale != kNoOperand;
      if (i != product.scale)
        elements +=
            count_of(type) * (packed ? 8.0 / static_cast<double>(weight_bits(call)) : 1) / std::max(experts, 1.0);
      read += bytes_of(type) * (std::min(routed, experts) / std::max(experts, 1.0));
    }
  }
  Work work = computes(call, outputs, 2 * routed * elements);
  work.read = read;
  return work;
}

Factors factors_of_experts(const OpCall& call) {
  if (!splittable(call)) return {};
  const size_t rank   = tensor_operand(call, 0).dims.size();
  const std::string x = "b" + dots(rank - 1);
  return {.text = factor_text(call, {x, "b."}, {x})};
}

}  // namespace foreflow::ops
