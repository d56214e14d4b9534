#include "workload/attention.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace foreflow::workload {
namespace {

constexpr double kFar = -10000;  // as Megatron-LM masks

constexpr std::array kCacheTypes = {ir::DType::f64,  ir::DType::f32, ir::DType::f16,
                                    ir::DType::bf16, ir::DType::f8,  ir::DType::f8e5m2};

}  // namespace

Value split_heads(Network& net, Value x, int64_t rows, int64_t count, int64_t size) {
  return net.permuted(net.view(x, {0, rows, count, size}), {0, 2, 1, 3});
}

Value merge_heads(Network& net, Value x, int64_t rows, int64_t count, int64_t size) {
  return net.view(net.permuted(x, {0, 2, 1, 3}), {0, rows, count * size});
}

Value attend(Network& net, Value q, Value k, Value v, const Heads& heads, Extent extent, double scale,
             const Masking& masking) {
  const int64_t group = heads.count / heads.kv_count;
  // Queries of one group are rows of one product with the keys that they share.
  const auto grouped = [&](Value x, int64_t width) {
    return group == 1 ? x : net.view(x, {0, heads.kv_count, group * extent.rows, width});
  };
  Value scores = net.op("FusedMatMul", {grouped(q, heads.size), k}, {{"transB", int64_t{1}}, {"alpha", scale}});
  if (masking.added && group > 1) scores = net.view(scores, {0, heads.kv_count, group, extent.rows, extent.keys});
  if (masking.added) scores = net.op("Add", {scores, *masking.added});
  if (masking.hidden) scores = net.op("Add", {scores, *masking.hidden});
  Value weights = net.op("Softmax", {scores}, {{"axis", int64_t{-1}}});
  if (masking.dropout != nullptr) weights = (*masking.dropout)(net, weights);
  if (masking.added) weights = grouped(weights, extent.keys);
  const Value seen = net.op("MatMul", {weights, v});
  return group == 1 ? seen : net.view(seen, {0, heads.count, extent.rows, heads.size});
}

Value causal_mask(Network& net, int64_t rows) {
  const std::vector<int64_t> shape{rows, rows};
  const Value far = net.op("ConstantOfShape", {}, {{"shape", shape}, {"value", net.filled(kFar)}});
  return net.op("Trilu", {far}, {{"upper", int64_t{1}}, {"k", int64_t{1}}}, "mask");
}

Rotary rotary(Network& net, Value positions, int64_t rows, int64_t size, int64_t base) {
  std::vector<float> speeds;
  for (int64_t i = 0; i < size; i += 2) {
    speeds.push_back(
        static_cast<float>(std::pow(static_cast<double>(base), -static_cast<double>(i) / static_cast<double>(size))));
  }
  const auto limit  = [&](int64_t value) { return net.constant(ir::Array::scalar(value)); };
  const Value range = net.op("Range", {limit(0), limit(rows), limit(1)});
  const Value place = net.op("Cast", {net.view(range, {rows, 1})}, {{"to", std::string(ir::name(ir::DType::f32))}});
  const Value angle =
      net.op("Mul", {place, net.constant(ir::Array::of_floats({static_cast<int64_t>(speeds.size())}, speeds))});
  return {positions, net.op("Cos", {angle}, {}, "cosine"), net.op("Sin", {angle}, {}, "sine")};
}

Value rotated(Network& net, Value x, const Rotary& rotary) {
  return net.op("RotaryEmbedding", {x, rotary.positions, rotary.cosine, rotary.sine});
}

Cache cache(Network& net, int64_t batch, int64_t context, ir::DType dtype) {
  const int64_t room = context + 1;
  const Value places = net.integers("positions", {batch});
  const auto limit   = [&](int64_t value) { return net.constant(ir::Array::scalar(value)); };
  const Value all    = net.view(net.op("Range", {limit(0), limit(room), limit(1)}), {1, 1, 1, room});
  const Value last   = net.view(places, {-1, 1, 1, 1});
  const Value empty  = net.op("Greater", {all, last});
  return {batch, room, dtype, places, net.op("Where", {empty, net.number(kFar), net.number(0)}, {}, "hidden")};
}

Value remembered(Network& net, const std::string& name, Value fresh, const Heads& heads, const Cache& cache) {
  const Value past = net.data(name, {cache.batch, heads.kv_count, cache.room, heads.size}, cache.dtype);
  return net.op("TensorScatter", {past, fresh, cache.places}, {{"axis", int64_t{2}}});
}

Phase read_phase(const FilledValues& values) {
  const std::string phase = values.word("phase");
  if (phase == "prefill") return Phase::prefill;
  if (phase == "decode") return Phase::decode;
  values.stated().fail("phase", "unknown phase \"" + phase + "\"; use prefill or decode");
}

Key phase_key() {
  return {"phase", "inference: prefill (keys and values of a whole sequence) or decode (one more token)", "prefill",
          Key::Kind::word};
}

ir::DType read_cache_dtype(const FilledValues& values, const Request& request) {
  if (!values.stated().has("cache_dtype")) return request.dtype;
  const std::string name = values.word("cache_dtype");
  const auto dtype       = name == "fp8" ? ir::DType::f8 : ir::find_dtype(name);
  if (dtype && std::find(kCacheTypes.begin(), kCacheTypes.end(), *dtype) != kCacheTypes.end()) return *dtype;
  values.stated().fail("cache_dtype", "\"" + name +
                                          "\" is no type of keys and values; use f64, f32, f16, bf16, f8 "
                                          "(or fp8, the same) or f8e5m2");
}

Key cache_dtype_key() {
  return {"cache_dtype",
          "inference: data type in which keys and values are kept: f64, f32, f16, bf16, f8 (e4m3, also fp8) or f8e5m2; "
          "attention converts what it reads, and computes in that of the activations (dtype)",
          {},
          Key::Kind::word};
}

}  // namespace foreflow::workload
