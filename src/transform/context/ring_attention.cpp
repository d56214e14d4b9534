#include "transform/context/ring_attention.h"

#include <functional>
#include <numeric>

#include "transform/context/attention_layouts.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;
using Ints = std::vector<int64_t>;

constexpr size_t kOutput = 4, kSums = 5, kSlope = 6;  // of the gradient, after those of attention_layouts.h

class Ring {
 public:
  Ring(ir::FunctionBuilder& builder, const RingSite& site, int ways)
      : builder_(builder),
        site_(site),
        ways_(static_cast<size_t>(ways)),
        causal_(site.call.attributes.int_or("causal", 0) != 0) {}

  std::vector<Row> forward() {
    Row k = site_.inputs[kKey], v = site_.inputs[kValue], o, sums;
    for (size_t step = 0; step < ways_; ++step) {
      const Row here_k = k, here_v = v;
      if (step + 1 < ways_) {
        k = shifted(k);
        v = shifted(v);
      }
      std::vector<Row> results = computed(
          step,
          [&](size_t member, size_t way, const ir::Attributes& attributes) {
            return builder_.emit("BlockAttention", operands(member, way, step, here_k, here_v), attributes, 2);
          },
          2);
      if (step == 0) {
        o    = results[0];
        sums = results[1];
        continue;
      }
      each([&](size_t member, size_t way) {
        if (hidden(way, step)) return;
        ValueId &so_far = o[member][way], &sum = sums[member][way];
        const auto merged =
            builder_.emit("MergeAttention", {so_far, sum, results[0][member][way], results[1][member][way]}, {}, 2);
        so_far = merged[0];
        sum    = merged[1];
      });
    }
    return {o, sums};
  }

  std::vector<Row> backward() {
    Row k = site_.inputs[kKey], v = site_.inputs[kValue], dq, dk, dv;
    std::vector<Row> of_bias(ways_);  // by step
    const size_t results = site_.call.outputs;
    for (size_t step = 0; step < ways_; ++step) {
      const Row here_k = k, here_v = v;
      if (step > 0) {
        dk = shifted(dk);
        dv = shifted(dv);
      }
      if (step + 1 < ways_) {
        k = shifted(k);
        v = shifted(v);
      }
      std::vector<Row> parts = computed(
          step,
          [&](size_t member, size_t way, const ir::Attributes& attributes) {
            std::vector<ValueId> inputs = operands(member, way, step, here_k, here_v);
            inputs.resize(kOutput, ValueId::none);
            for (const size_t i : {kOutput, kSums, kSlope}) inputs.push_back(site_.inputs[i][member][way]);
            return builder_.emit("BlockAttentionGrad", inputs, attributes, results);
          },
          results);
      if (results > kBias) of_bias[step] = parts[kBias];
      accumulate(dq, parts[0], step);
      accumulate(dk, parts[1], step);
      accumulate(dv, parts[2], step);
    }
    std::vector<Row> all{dq, shifted(dk), shifted(dv)};
    if (results > kBias) all.push_back(joined(of_bias));
    return all;
  }

 private:
  // f(member, way), way by way, as programs of tensor-parallel groups stand.
  void each(const std::function<void(size_t member, size_t way)>& f) const {
    for (size_t way = 0; way < ways_; ++way) {
      for (size_t member = 0; member < site_.inputs[kQuery].size(); ++member) f(member, way);
    }
  }

  Row empty() const { return Row(site_.inputs[kQuery].size(), Copies(ways_, ValueId::none)); }

  // Whose keys a way has at a step.
  size_t owner(size_t way, size_t step) const { return (way + ways_ - step) % ways_; }

  // A block that no query of the way sees.
  bool hidden(size_t way, size_t step) const {
    return causal_ && site_.blocks == 1 && site_.call.outputs <= kBias && owner(way, step) > way;
  }

  Row shifted(const Row& row) const {
    Row next;
    for (const Copies& copies : row) next.push_back(builder_.emit("MPIShift", copies, {}, ways_));
    return next;
  }

  std::vector<Row> computed(size_t step,
                            const std::function<std::vector<ValueId>(size_t, size_t, const ir::Attributes&)>& f,
                            size_t results) const {
    std::vector<Row> rows(results, empty());
    each([&](size_t member, size_t way) {
      if (hidden(way, step)) return;
      const std::vector<ValueId> made = f(member, way, attributes(way, step));
      for (size_t i = 0; i < results; ++i) rows[i][member][way] = made[i];
    });
    return rows;
  }

  ir::Attributes attributes(size_t way, size_t step) const {
    ir::Attributes local = site_.call.attributes;
    if (!causal_) return local;
    const size_t of     = owner(way, step);
    const int64_t order = of == way ? 0 : of < way ? 1 : -1;
    if (order > 0 && site_.blocks == 1) return local.set("causal", int64_t{0});
    if (order != 0) local.set("order", order);
    if (site_.blocks > 1) local.set("run", positions() / site_.blocks);
    return local;
  }

  // The number of positions of one way.
  int64_t positions() const { return site_.call.inputs[kKey].dims[2] / static_cast<int64_t>(ways_); }

  std::vector<ValueId> operands(size_t member, size_t way, size_t step, const Row& k, const Row& v) const {
    std::vector<ValueId> inputs{site_.inputs[kQuery][member][way], k[member][way], v[member][way]};
    if (site_.call.has(kBias)) {
      const Copies& bias = site_.inputs[kBias][member];
      inputs.push_back(columns(bias[bias.size() == 1 ? 0 : way], owner(way, step)));
    }
    return inputs;
  }

  // [.., t] seen as [.., blocks, ways, rest]: those of one way.
  ValueId columns(ValueId bias, size_t way) const {
    const ir::Dims& dims = site_.call.inputs[kBias].dims;
    const auto axis      = static_cast<int64_t>(dims.size()) - 1;
    if (dims.back() == 1) return bias;
    const auto slice = [&](ValueId x, int64_t along, int64_t size) {
      const auto start = static_cast<int64_t>(way) * size;
      return builder_.op("Slice", {x}, {{"axes", Ints{along}}, {"starts", Ints{start}}, {"ends", Ints{start + size}}});
    };
    if (site_.blocks == 1) return slice(bias, axis, positions());
    const ValueId seen =
        builder_.op("Reshape", {bias}, {{"shape", view({site_.blocks, static_cast<int64_t>(ways_), run()})}});
    return builder_.op("Reshape", {slice(seen, axis + 1, 1)}, {{"shape", view({positions()})}});
  }

  int64_t run() const { return positions() / site_.blocks; }

  // The bias' shape with its last dimension seen as several.
  Ints view(const Ints& last) const {
    Ints shape(site_.call.inputs[kBias].dims.size() - 1, 0);
    shape.insert(shape.end(), last.begin(), last.end());
    return shape;
  }

  // Slopes of the columns of all ways, from those of each step; the sum of them where the bias has but one column.
  Row joined(const std::vector<Row>& steps) const {
    const auto axis = static_cast<int64_t>(site_.call.inputs[kBias].dims.size()) - 1;
    Row all         = empty();
    each([&](size_t member, size_t way) {
      std::vector<ValueId> parts(ways_);
      for (size_t step = 0; step < ways_; ++step) parts[owner(way, step)] = steps[step][member][way];
      if (site_.call.inputs[kBias].dims.back() == 1) {
        all[member][way] = builder_.op("Sum", parts);
        return;
      }
      ValueId row = builder_.op("Concat", parts, {{"axis", axis}});
      if (site_.blocks > 1) row = blocks_first(row);
      all[member][way] = row;
    });
    return all;
  }

  // [.., ways, blocks, rest] -> [.., blocks, ways, rest].
  ValueId blocks_first(ValueId row) const {
    const auto axis = site_.call.inputs[kBias].dims.size() - 1;
    Ints order(axis + 3);
    std::iota(order.begin(), order.end(), int64_t{0});
    std::swap(order[axis], order[axis + 1]);
    const ValueId seen =
        builder_.op("Reshape", {row}, {{"shape", view({static_cast<int64_t>(ways_), site_.blocks, run()})}});
    const ValueId turned = builder_.op("Transpose", {seen}, {{"perm", order}});
    return builder_.op("Reshape", {turned}, {{"shape", view({site_.call.inputs[kBias].dims.back()})}});
  }

  void accumulate(Row& sum, const Row& part, size_t step) const {
    if (step == 0) {
      sum = part;
      return;
    }
    each([&](size_t member, size_t way) {
      ValueId& so_far = sum[member][way];
      if (!hidden(way, step)) so_far = builder_.op("Add", {so_far, part[member][way]});
    });
  }

  ir::FunctionBuilder& builder_;
  const RingSite& site_;
  const size_t ways_;
  const bool causal_;
};

}  // namespace

std::vector<Row> ring_attention(ir::FunctionBuilder& builder, const RingSite& site, int ways) {
  return Ring(builder, site, ways).forward();
}

std::vector<Row> ring_attention_grad(ir::FunctionBuilder& builder, const RingSite& site, int ways) {
  return Ring(builder, site, ways).backward();
}

}  // namespace foreflow::transform
