#include "cost/data_efficiency.h"

#include <algorithm>
#include <map>

#include "cost/laws/law.h"
#include "foreflow/base/error.h"
#include "foreflow/base/text.h"

namespace foreflow::cost {
namespace {

// "m=4096, layout=TN": what stands behind the names.
class Shape {
 public:
  explicit Shape(const FieldsOfRow& row) : where_(row.where()) {
    for (const std::string& part : split(row.text("shape"), ',')) {
      const size_t equals = part.find('=');
      if (equals == std::string::npos) throw Error(where_, "shape has \"" + part + "\"; write name=value");
      values_[std::string(trim(std::string_view(part).substr(0, equals)))] =
          trim(std::string_view(part).substr(equals + 1));
    }
  }
  const std::string& text(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) throw Error(where_, "shape has no \"" + name + "\"");
    return found->second;
  }
  double number(const std::string& name) const {
    const auto value = parse_number<double>(text(name));
    if (!value || !(*value > 0) || *value > 1e12)
      throw Error(where_, "shape has " + name + "=" + text(name) + "; write a number above 0");
    return *value;
  }

 private:
  std::map<std::string, std::string> values_;
  std::string where_;
};

}  // namespace

std::vector<Measured> efficiency_in_training(const FieldsOfRow& row, const std::string&) {
  const std::string& op = row.text("op");
  const double rate     = row.number("peak_tflops") * 1e12 * row.number("efficiency_fraction_of_peak");
  if (op != "matmul" && op != "sdp_fwd" && op != "sdp_bwd") return {};
  const Shape shape(row);
  if (op == "matmul") {
    const double batch = shape.number("b"), m = shape.number("m"), n = shape.number("n"), k = shape.number("k");
    // A sum is read and written.
    const double element = shape.text("out_dtype") == "fp32" ? 4 : 2,
                 written = shape.text("accumulate") == "True" ? 2 * element : element;
    return {{"product", "bf16 in training", {{batch * m, n, k, 2, written, 0}, 2 * batch * m * n * k / rate}}};
  }
  const double samples = shape.number("batch"), length = shape.number("seq_len"), heads = shape.number("head_num");
  const double qk = shape.number("qk_head_dim"), v = shape.number("v_head_dim");
  const bool backward = op == "sdp_bwd";
  const double flops  = (backward ? kBackwardOfAttention : 1) * 2 * samples * length * length * heads * (qk + v);
  // A price takes the wider of two heads, and kernels seem to compute as much: on an A100 a flop of heads of 192 and
  // 128 takes 1.1 to 1.25 times as long as one of equal heads, and 0.9 to 1.05 times if all were 192 wide.
  const Sizes sizes{samples, length, heads, shape.number("kv_head_num"), std::max(qk, v), 2, backward ? 1.0 : 0.0};
  return {{"attention", backward ? "bf16 backward" : "bf16 in training", {sizes, flops / rate}}};
}

}  // namespace foreflow::cost
