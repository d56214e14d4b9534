#include "workload/relative_bias.h"

#include <cmath>

namespace foreflow::workload {
namespace {

constexpr int64_t kBuckets = 32, kFarthest = 128;

Value single(Network& net, double value) { return net.constant(ir::Array::scalar(static_cast<float>(value))); }

Value cast(Network& net, Value x, ir::DType dtype) {
  return net.op("Cast", {x}, {{"to", std::string(ir::name(dtype))}});
}

Value positions(Network& net, int64_t count, std::vector<int64_t> shape) {
  const auto limit  = [&](int64_t value) { return net.constant(ir::Array::scalar(value)); };
  const Value range = net.op("Range", {limit(0), limit(count), limit(1)});
  return cast(net, net.view(range, std::move(shape)), ir::DType::f32);
}

// The bucket of `ahead`, query position minus key position. With m buckets for near distances and as many for far ones:
// min(x, m) + floor(m log(max(x, m) / m) / log(128 / m)), at most 2m - 1.
Value buckets_of(Network& net, Value ahead, RelativeBias::Sides sides) {
  const bool both      = sides == RelativeBias::Sides::both;
  const int64_t m      = both ? kBuckets / 4 : kBuckets / 2;
  const Value distance = both ? net.op("Abs", {ahead}) : net.op("Relu", {ahead});
  const auto near      = static_cast<double>(m);
  const Value ratio    = net.op("Div", {net.op("Max", {distance, single(net, near)}), single(net, near)});
  const double slope   = near / std::log(static_cast<double>(kFarthest) / near);
  const Value far      = net.op("Floor", {net.op("Mul", {net.op("Log", {ratio}), single(net, slope)})});
  const Value sum      = net.op("Add", {net.op("Min", {distance, single(net, near)}), far});
  Value bucket         = net.op("Min", {sum, single(net, 2 * near - 1)});
  if (both) {
    const Value later = cast(net, net.op("Less", {ahead, single(net, 0)}), ir::DType::f32);
    bucket            = net.op("Add", {bucket, net.op("Mul", {later, single(net, 2 * near)})});
  }
  return cast(net, bucket, ir::DType::i64);
}

Value table_of(Network& net, const std::string& name, int64_t heads) { return net.weight(name, {kBuckets, heads}); }

}  // namespace

RelativeBias::RelativeBias(Network& net, const std::string& table, int64_t heads, Sides sides, Extent extent)
    : table_(table_of(net, table, heads)),
      buckets_(buckets_of(
          net,
          net.op("Sub", {positions(net, extent.rows, {extent.rows, 1}), positions(net, extent.keys, {1, extent.keys})}),
          sides)),
      heads_(heads),
      keys_(extent.keys),
      by_sample_(false) {}

RelativeBias::RelativeBias(Network& net, const std::string& table, int64_t heads, Value places, int64_t keys)
    : table_(table_of(net, table, heads)),
      buckets_(buckets_of(
          net, net.op("Sub", {cast(net, net.view(places, {-1, 1}), ir::DType::f32), positions(net, keys, {1, keys})}),
          Sides::past)),
      heads_(heads),
      keys_(keys),
      by_sample_(true) {}

Value RelativeBias::looked_up(Network& net) const {
  const Value bias = net.op("Gather", {table_, buckets_}, {{"axis", int64_t{0}}});  // [s,t,a] or [b,t,a]
  if (by_sample_) return net.view(net.permuted(bias, {0, 2, 1}), {0, heads_, 1, keys_});
  return net.op("Unsqueeze", {net.permuted(bias, {2, 0, 1})}, {{"axes", std::vector<int64_t>{0}}});
}

}  // namespace foreflow::workload
