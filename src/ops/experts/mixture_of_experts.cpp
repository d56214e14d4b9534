#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/common/expected.h"
#include "ops/common/gelu_formula.h"
#include "ops/common/kernel.h"
#include "ops/common/letters.h"
#include "ops/common/work.h"

namespace foreflow::ops::definitions::mixture_of_experts {

namespace {

// Operands: x[..,h], router scores[tokens,experts], then weight and bias of the first product [e,i,h] and [e,i], of the
// second [e,h,i] and [e,h], and of a third beside the first, which it gates. Older files have the weights transposed.
constexpr size_t kRouter = 1, kFirst = 2, kSecond = 4, kThird = 6;

int64_t chosen(const OpCall& call) { return call.attributes.int_or("k", 1); }

std::string number_text(int64_t dim) { return dim == Dims::kUnknown ? "?" : std::to_string(dim); }

// Checks weight and bias of one product against the number of experts and of what it takes, and returns what it makes.
int64_t made_by(const OpCall& call, size_t operand, int64_t experts, int64_t in) {
  const Type w = tensor_operand(call, operand);
  if (!has_rank(w)) return Dims::kUnknown;
  if (w.dims.size() != 3 || differ(w.dims[0], experts) || (differ(w.dims[1], in) && differ(w.dims[2], in)))
    call.fail("the weights of experts are " + to_string(w.dims) + "; [e,out,in] with " + number_text(experts) +
              " experts that take " + number_text(in) + " numbers would be right");
  if (in == Dims::kUnknown || w.dims[1] == Dims::kUnknown || w.dims[2] == Dims::kUnknown) return Dims::kUnknown;
  const int64_t out = w.dims[w.dims[2] == in ? 1 : 2];
  check_dims(call, operand + 1, {experts, out}, "a bias of the experts");
  return out;
}

void check_weights(const OpCall& call, int64_t experts, int64_t width) {
  const int64_t first = made_by(call, kFirst, experts, width);
  // A gate may stand in the same product.
  const bool halves    = call.attributes.string_or("activation_type", "relu") == "swiglu" && !call.has(kThird);
  const int64_t second = made_by(call, kSecond, experts, halves && first > 0 ? first / 2 : first);
  if (differ(second, width))
    call.fail("the second product makes " + std::to_string(second) + " numbers; as many as x has, " +
              std::to_string(width) + ", would be right");
  if (!call.has(kThird)) return;
  const int64_t third = made_by(call, kThird, experts, width);
  if (differ(third, first))
    call.fail("the third product makes " + std::to_string(third) + " numbers and the first " + std::to_string(first) +
              "; as many would be right");
}

std::vector<Type> infer(const OpCall& call) {
  if (call.arity() <= kSecond) call.fail("needs x, router scores and the weights of two products");
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
  check_weights(call, has_rank(router) ? router.dims[1] : Dims::kUnknown, width);
  return {x};
}

// Weight of one product, as [out,in] of each expert.
struct ExpertProduct {
  std::vector<double> weight, bias;
  int64_t outer = 0, inner = 0;
  bool transposed = false;

  ExpertProduct(const OpCall& call, size_t operand, int64_t in) {
    const Array& w = value_of(call, operand);
    weight         = values_of<double>(w);
    transposed     = w.dims()[2] != in;
    outer          = w.dims()[transposed ? 2 : 1];
    inner          = in;
    if (call.has(operand + 1)) bias = values_of<double>(value_of(call, operand + 1));
  }

  std::vector<double> operator()(int64_t expert, const std::vector<double>& x) const {
    std::vector<double> y;
    for (int64_t o = 0; o < outer; ++o) {
      double sum = bias.empty() ? 0 : bias[static_cast<size_t>(expert * outer + o)];
      for (int64_t i = 0; i < inner; ++i) {
        const int64_t at = transposed ? (expert * inner + i) * outer + o : (expert * outer + o) * inner + i;
        sum += weight[static_cast<size_t>(at)] * x[static_cast<size_t>(i)];
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
  call.fail("activation_type \"" + name + "\" has no reference kernel; relu, gelu, silu and identity have");
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
    const int64_t expert = order[static_cast<size_t>(i)];
    taken.emplace_back(expert, std::exp(scores[expert] - largest) / all);
    sum += taken.back().second;
  }
  if (call.attributes.int_or("normalize_routing_weights", 0) == 0) return taken;
  for (auto& [expert, share] : taken) share /= sum;
  return taken;
}

std::vector<Array> eval(const OpCall& call) {
  const Array& x = value_of(call, 0);
  const auto xs = values_of<double>(x), scores = values_of<double>(value_of(call, kRouter));
  const int64_t width = x.dims().back(), experts = value_of(call, kRouter).dims()[1];
  const std::string act = call.attributes.string_or("activation_type", "relu");
  const ExpertProduct first(call, kFirst, width), second(call, kSecond, first.outer);
  const auto third = call.has(kThird) ? std::optional<ExpertProduct>(std::in_place, call, kThird, width) : std::nullopt;
  std::vector<double> y(xs.size());
  for (size_t token = 0; token < xs.size() / static_cast<size_t>(width); ++token) {
    const auto from = xs.begin() + static_cast<int64_t>(token) * width;
    const std::vector<double> row(from, from + width);
    for (const auto& [expert, share] : routes(call, scores.data() + token * static_cast<size_t>(experts), experts)) {
      std::vector<double> hidden = first(expert, row);
      for (double& number : hidden) number = activated(call, act, number);
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
Work work(const OpCall& call, std::span<const Type> outputs) {
  const Type router = tensor_operand(call, kRouter);
  if (!has_dims(router)) return moves(call, outputs);
  const double tokens = static_cast<double>(router.dims[0]), experts = static_cast<double>(router.dims[1]),
               routed = tokens * static_cast<double>(chosen(call));
  double elements     = 0;
  Bytes read          = bytes_of(call.inputs[0]) + bytes_of(router);
  for (size_t i = kFirst; i < call.arity(); ++i) {
    const Type weight = call.has(i) ? tensor_operand(call, i) : Type();
    if (!has_dims(weight)) continue;
    elements += count_of(weight) / std::max(experts, 1.0);
    read += bytes_of(weight) * (std::min(routed, experts) / std::max(experts, 1.0));
  }
  Work work = computes(call, outputs, 2 * routed * elements);
  work.read = read;
  return work;
}

// Tokens are independent of each other; x[b,s,h] and scores[b*s,e] are split by samples where each has its own rows.
Factors factors(const OpCall& call) {
  if (!splittable(call)) return {};
  const size_t rank   = tensor_operand(call, 0).dims.size();
  const std::string x = "b" + dots(rank - 1);
  return {.text = factor_text(call, {x, "b."}, {x})};
}

}  // namespace

OpDef row() {
  return {
      .name = "MoE",
      .doc =
          "x[..,h], router scores[tokens,e], weights and biases of e experts -> the k best experts' MLPs of each "
          "token, "
          "weighted by a softmax of the scores",
      .domain  = "com.microsoft",
      .infer   = infer,
      .factors = factors,
      .work    = work,
      .eval    = eval,
      .samples =
          [] {
            const Attributes gated{{"k", 2}, {"activation_type", "silu"}, {"normalize_routing_weights", 1}};
            return std::vector<Sample>{
                {{}, {f32({4, 6}), f32({4, 2}), f32({2, 3, 6}), f32({2, 3}), f32({2, 6, 3}), f32({2, 6})}},
                {gated, {f32({2, 2, 4}), f32({4, 3}), f32({3, 6, 4}), {}, f32({3, 4, 6}), {}, f32({3, 6, 4})}}};
          },
  };
}

}  // namespace foreflow::ops::definitions::mixture_of_experts
