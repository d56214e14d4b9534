#include "workload/decoder.h"

#include <cmath>

#include "workload/layers.h"
#include "workload/sizes.h"

namespace foreflow::workload {

Pass reads(Network& net, int64_t rows, ir::DType kept_as) {
  Pass pass{rows, {}, kept_as};
  if (rows > 1) pass.masking.added = causal_mask(net, rows);
  return pass;
}

Pass writes_next(Network& net, int64_t batch, int64_t context, ir::DType kept_as) {
  Pass pass{1, {}, kept_as, cache(net, batch, context, kept_as)};
  pass.masking.hidden = pass.cache->hidden;
  return pass;
}

Value kept(Network& net, const std::string& name, Value fresh, const Heads& heads, Pass& pass) {
  pass.kept.push_back(pass.cache ? remembered(net, name, fresh, heads, *pass.cache)
                                 : net.converted(fresh, net.dtype(), pass.kept_as));
  return net.converted(pass.kept.back(), pass.kept_as, net.dtype());
}

Value last_row(Network& net, Value x, const Pass& pass) {
  return net.op("Slice", {x},
                {{"axes", std::vector<int64_t>{1}},
                 {"starts", std::vector<int64_t>{pass.rows - 1}},
                 {"ends", std::vector<int64_t>{pass.rows}}});
}

Rotary rotary_of(Network& net, const Pass& pass, int64_t size, int64_t base) {
  const auto limit   = [&](int64_t value) { return net.constant(ir::Array::scalar(value)); };
  const Value places = pass.cache ? net.view(pass.cache->places, {-1, 1})
                                  : net.view(net.op("Range", {limit(0), limit(pass.rows), limit(1)}), {1, pass.rows});
  return rotary(net, places, pass.keys(), size, base);
}

Value rotary_attention(Network& net, const std::string& name, Value x, int64_t hidden, const Heads& heads,
                       const Rotary& rotary, Pass& pass) {
  const auto part = [&](const std::string& weight, int64_t count) {
    const Value y = projected(net, name + "attention." + weight, x, hidden, count * heads.size);
    return split_heads(net, y, pass.rows, count, heads.size);  // [b,count,s,d]
  };
  const Value q      = rotated(net, part("wq", heads.count), rotary);
  const Value k      = kept(net, name + "keys", rotated(net, part("wk", heads.kv_count), rotary), heads, pass);
  const Value v      = kept(net, name + "values", part("wv", heads.kv_count), heads, pass);
  const double scale = 1 / std::sqrt(static_cast<double>(heads.size));
  const Value y      = attend(net, q, k, v, heads, {pass.rows, pass.keys()}, scale, pass.masking);
  const Value merged = merge_heads(net, y, pass.rows, heads.count, heads.size);
  return projected(net, name + "attention.wo", merged, heads.count * heads.size, hidden);
}

Value gated_mlp(Network& net, const std::string& name, Value x, int64_t hidden, int64_t feed_forward) {
  const Value gate = silu(net, projected(net, name + "w1", x, hidden, feed_forward));
  const Value up   = projected(net, name + "w3", x, hidden, feed_forward);
  return projected(net, name + "w2", net.op("Mul", {gate, up}), feed_forward, hidden);
}

void check_rotary_heads(const KeyValues& sizes, const Heads& heads) {
  if (heads.count % heads.kv_count != 0) {
    sizes.fail("kv_heads", std::to_string(heads.kv_count) + " does not divide the " + std::to_string(heads.count) +
                               " heads; use a divisor of them");
  }
  if (heads.size % 2 != 0) {
    sizes.fail("heads",
               "heads of size " + std::to_string(heads.size) + " cannot be rotated; an even size would be right");
  }
}

}  // namespace foreflow::workload
