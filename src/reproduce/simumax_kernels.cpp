#include <fmt/core.h>

#include <map>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"
#include "reproduce/kernels.h"

namespace foreflow::reproduce::definitions::simumax_kernels {
namespace {

constexpr auto kType = ir::DType::bf16;

// "m=4096, k=5120, layout=TN": what stands behind the names.
class Shape {
 public:
  explicit Shape(const std::string& text) {
    for (const std::string& part : split(text, ',')) {
      const size_t equals = part.find('=');
      if (equals != std::string::npos)
        values_[std::string(trim(std::string_view(part).substr(0, equals)))] =
            trim(std::string_view(part).substr(equals + 1));
    }
  }
  const std::string& text(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) throw Error("simumax_kernels", "a shape has no \"" + name + "\"");
    return found->second;
  }
  double number(const std::string& name) const { return parse_number<double>(text(name)).value_or(0); }

 private:
  std::map<std::string, std::string> values_;
};

struct Priced {
  double flops;
  Seconds time;
  std::string name;
};

Priced product(const Kernels& kernels, const Shape& s) {
  const double b = s.number("b"), m = s.number("m"), n = s.number("n"), k = s.number("k");
  return {
      2 * b * m * n * k, kernels.product(kType, m, n, k, b),
      fmt::format("product {} x {} x {} {}{}", m, n, k, s.text("layout"), b > 1 ? fmt::format(", {} of them", b) : "")};
}

// Tokens of experts: y = x w forward, dx = dy w' and dw = x' dy backward, for each expert, as they lie in memory.
Priced experts(const Kernels& kernels, const Shape& s) {
  const double ng = s.number("ng"), m = s.number("M"), n = s.number("N"), k = s.number("K");
  const ir::Type x = tensor_of(kType, {ng, m, k}), w = tensor_of(kType, {ng, k, n}), y = tensor_of(kType, {ng, m, n});
  const std::string& stage = s.text("stage");
  const Seconds time       = stage == "fwd"            ? kernels.op("MatMul", {x, w})
                             : stage == "bwd_grad_act" ? kernels.op("FusedMatMul", {y, w}, {{"transB", int64_t{1}}})
                                                       : kernels.op("FusedMatMul", {x, y}, {{"transA", int64_t{1}}});
  return {2 * ng * m * n * k, time, fmt::format("experts {} of {} x {} x {} {}", ng, m, n, k, stage)};
}

// Causal, but the whole square counts. The backward pass has five products for two.
Priced attention(const Kernels& kernels, const Shape& s, bool backward) {
  const double batch = s.number("batch"), length = s.number("seq_len"), heads = s.number("head_num"),
               shared = s.number("kv_head_num"), width = s.number("qk_head_dim"), values = s.number("v_head_dim");
  const ir::Type q          = shared == heads ? tensor_of(kType, {batch, heads, length, width})
                                              : tensor_of(kType, {batch, shared, heads / shared, length, width});
  const ir::Type k          = tensor_of(kType, {batch, shared, length, width}),
                 v          = tensor_of(kType, {batch, shared, length, values});
  ir::Type o                = q;
  o.dims[o.dims.size() - 1] = static_cast<int64_t>(values);
  ir::Type sums             = o;
  sums.dtype                = ir::DType::f32;
  sums.dims.erase(sums.dims.size() - 1);
  const ir::Attributes causal{{"causal", int64_t{1}}};
  const Seconds time         = backward ? kernels.op("BlockAttentionGrad", {q, k, v, ir::Type(), o, sums, o}, causal, 3)
                                        : kernels.op("BlockAttention", {q, k, v}, causal, 2);
  constexpr double kBackward = 2.5;
  return {2 * batch * heads * length * length * (width + values) * (backward ? kBackward : 1), time,
          fmt::format("attention {} of {} tokens, {}/{} heads of {}/{}, {}", batch, length, heads, shared, width,
                      values, backward ? "backward" : "forward")};
}

void add(const Published& row, std::string_view file, Result& result) {
  static const Kernels a100("A100-PCIE-80GB"), b200("B200-180GB");
  const bool old         = file.find("a100") != std::string_view::npos;
  const Kernels& kernels = old ? a100 : b200;
  const std::string& op  = row.word("op");
  const Shape shape(row.word("shape"));
  const Priced priced  = op == "matmul"         ? product(kernels, shape)
                         : op == "group_matmul" ? experts(kernels, shape)
                                                : attention(kernels, shape, op == "sdp_bwd");
  const double seconds = priced.flops / (row.number("peak_tflops") * 1e12 * row.number("efficiency_fraction_of_peak"));
  result.rows.push_back(compare((old ? "A100 " : "B200 ") + priced.name, seconds, priced.time.value()));
}

Result run(const Options& options) {
  Result result =
      run_kernels({{"simumax_a100_pcie_op_efficiency.csv", "simumax_b200_op_efficiency.csv"}, add}, options);
  note_groups(result, {"A100 product", "A100 attention", "B200 product", "B200 attention", "B200 experts"});
  return result;
}

}  // namespace

ReproductionDef row() {
  return {"simumax_kernels", "measured products, attention and products of experts in training on A100 PCIe and B200",
          "MooreThreads/SimuMax (Apache-2.0)", run};
}

}  // namespace foreflow::reproduce::definitions::simumax_kernels
