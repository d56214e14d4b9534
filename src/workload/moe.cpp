#include <algorithm>
#include <cmath>

#include "foreflow/ir/unchosen.h"
#include "workload/decoder.h"
#include "workload/layers.h"
#include "workload/moe_sizes.h"
#include "workload/residual.h"

namespace foreflow::workload::definitions::moe {
namespace {

using Ints = std::vector<int64_t>;

// Writes a decoder with mixtures of experts (Mixtral; Jiang et al., 2024): root mean square norms, rotary positions,
// groups of heads that share keys and values, and SwiGLU experts among which a router chooses (GShard's dispatch and
// combine). Letters: b batch, s sequence, h hidden, a heads, k heads of keys and values, d = h/a, e experts, g groups,
// c capacity, f width inside an expert, v vocabulary.
class MoeWriter {
 public:
  MoeWriter(const MoeSizes& sizes, const Request& request, const ir::OpTable& ops)
      : z_(sizes),
        residual_(sizes.fp32_residual),
        net_("moe", request.dtype, ops),
        training_(request.mode == Mode::training) {}

  // Result 0: the cross entropy and, where it is asked for, the routers' losses.
  ir::Module training() {
    Pass pass          = reads(net_, z_.sequence, net_.dtype());
    const Value x      = layers(pass);
    const Value labels = net_.integers("labels", {z_.batch, z_.sequence});
    Value loss         = cross_entropy(net_, logits(x), labels, z_.batch * z_.sequence);
    if (balance_) loss = net_.op("Add", {loss, *balance_}, {}, "balanced_loss");
    return net_.finish({loss});
  }

  Model generation(Phase phase) {
    Model model = inference(
        net_, phase, {z_.batch, z_.sequence, z_.context, z_.kept_as}, [&](Pass& pass) { return layers(pass); },
        [&](Value x) { return logits(x); });
    model.padding = padding_;
    return model;
  }

  Flops padding() const { return padding_; }

 private:
  struct SwiGlu {
    Value gate, up, down;
  };

  Value norm(const std::string& name, Value x) { return rms_norm(net_, name, residual_.read(net_, x), z_.hidden); }

  Value layers(Pass& pass) {
    zero_               = net_.number(0);
    const Rotary rotary = rotary_of(net_, pass, z_.head_size, static_cast<int64_t>(z_.rotary_base));
    const Value table   = net_.weight("wte", {z_.vocabulary, z_.hidden});
    const Value ids     = net_.integers("ids", {z_.batch, pass.rows});
    Value x = residual_.begun(net_, net_.op("Gather", {table, ids}, {{"axis", int64_t{0}}}, "tokens"));  // [b,s,h]
    for (int64_t i = 0; i < z_.layers; ++i) {
      const std::string name = "h." + std::to_string(i) + ".";
      const Value own        = norm(name + "norm_1", x);
      const Value mixed      = rotary_attention(net_, name, own, z_.hidden, z_.attention(), rotary, pass);
      x                      = residual_.added(net_, x, mixed);
      const Value y          = norm(name + "norm_2", x);
      x                      = residual_.added(net_, x, i < z_.dense_layers ? dense(name, y) : experts(name, y, pass));
    }
    return norm("norm_f", x);
  }

  Value logits(Value x) {
    return net_.op("Gemm", {rows_of(net_, x, z_.hidden), net_.weight("head", {z_.hidden, z_.vocabulary})}, {},
                   "logits");  // [bs,v]
  }

  SwiGlu swiglu(const std::string& name, const Ints& batch, int64_t inner) {
    const auto dims = [&](int64_t rows, int64_t columns) {
      Ints all = batch;
      all.insert(all.end(), {rows, columns});
      return ir::Dims(all);
    };
    const Value gate = net_.weight(name + ".gate", dims(z_.hidden, inner));
    const Value up   = net_.weight(name + ".up", dims(z_.hidden, inner));
    return {gate, up, net_.weight(name + ".down", dims(inner, z_.hidden))};
  }

  // `product`: attributes of the three products.
  Value feed_forward(const SwiGlu& w, Value x, const ir::Attributes& product = {}) {
    const Value gate = silu(net_, net_.op("MatMul", {x, w.gate}, product));
    return net_.op("MatMul", {net_.op("Mul", {gate, net_.op("MatMul", {x, w.up}, product)}), w.down}, product);
  }

  // Tokens choose evenly and independently of each other. Where the tokens of one sample already choose every expert,
  // and in training, which has many tokens, nothing is said.
  ir::Attributes choices(const Routing& routing) const {
    constexpr double kSurely = 1e-9;
    const double by_token    = 1 - static_cast<double>(z_.top_k) / static_cast<double>(z_.experts);
    const auto tokens        = static_cast<double>(routing.tokens);
    if (training_ || std::pow(by_token, tokens * static_cast<double>(routing.groups)) < kSurely) return {};
    return {{std::string(ir::kUnchosen), std::pow(by_token, tokens / static_cast<double>(routing.capacity))}};
  }

  Value dense(const std::string& name, Value x) {
    return feed_forward(swiglu(name + "dense", {}, z_.dense_feed_forward), x);
  }

  // Zero for experts that a token does not choose: [g,s/groups,e].
  Value gates(Value router, Value tokens, const Routing& routing) {
    const Value share  = net_.op("Softmax", {net_.op("MatMul", {tokens, router})}, {{"axis", int64_t{-1}}});
    const Value chosen = net_.op("TopKMask", {share}, {{"k", z_.top_k}});
    const Value kept   = net_.op("Where", {chosen, share, zero_});
    if (training_ && z_.balance_loss != 0) balance(share, chosen, routing);
    if (!z_.normalise) return kept;
    const Value total = net_.op("ReduceSum", {kept}, {{"axes", Ints{-1}}, {"keepdims", int64_t{1}}});
    return net_.op("Div", {kept, total}, {}, "gates");
  }

  // Adds to the loss: weight x e x the mean over all groups of sum over experts (share of the group's choices that fall
  // on the expert) x (mean of what the router gives it). For each group by itself, as Lepikhin et al., 2021, algorithm
  // 1, so that groups may be computed apart; scaled as by Fedus et al., 2022, eq. 4: 1 x weight where all is even.
  void balance(Value share, Value chosen, const Routing& routing) {
    const auto over_tokens = [&](Value x) {
      return net_.op("ReduceSum", {x}, {{"axes", Ints{1}}, {"keepdims", int64_t{0}}});  // [g,e]
    };
    const auto tokens   = static_cast<double>(routing.tokens);
    const double groups = static_cast<double>(z_.batch * routing.groups);
    const double scale =
        z_.balance_loss * static_cast<double>(z_.experts) / (groups * tokens * tokens * static_cast<double>(z_.top_k));
    const Value choices = over_tokens(net_.op("Where", {chosen, net_.number(scale), zero_}));
    const Value loss    = net_.op("Einsum", {choices, over_tokens(share)}, {{"equation", std::string("ge,ge->")}});
    balance_            = balance_ ? net_.op("Add", {*balance_, loss}) : loss;
  }

  Value experts(const std::string& name, Value x, const Pass& pass) {
    const Routing routing = z_.routing(pass.rows);
    const Value router    = net_.weight(name + "router", {z_.hidden, z_.experts});
    const SwiGlu weights  = swiglu(name + "experts", {z_.experts}, z_.ffn);
    const bool cut        = routing.groups > 1;
    const Value tokens    = cut ? net_.view(x, {-1, routing.tokens, z_.hidden}) : x;  // [g,s/groups,h]
    const Value gate      = gates(router, tokens, routing);
    const Value seated    = net_.op("MoeDispatch", {tokens, gate}, {{"capacity", routing.capacity}});  // [e,g,c,h]
    const Value done      = feed_forward(weights, net_.view(seated, {0, -1, z_.hidden}), choices(routing));
    const Value rows      = net_.view(done, {0, -1, routing.capacity, z_.hidden});
    const Value y         = net_.op("MoeCombine", {rows, gate}, {{"weighted", int64_t{1}}});
    const Value whole     = cut ? net_.view(y, {-1, pass.rows, z_.hidden}) : y;
    padding_ += work_of_empty_places(routing, pass.rows);
    if (z_.shared_experts == 0) return whole;
    return net_.op("Add", {whole, feed_forward(swiglu(name + "shared", {}, z_.shared_experts * z_.ffn), x)});
  }

  // The work of the three products of experts whose loads are even.
  Flops work_of_empty_places(const Routing& routing, int64_t rows) const {
    const int64_t places = routing.groups * z_.experts * routing.capacity, taken = z_.top_k * rows;
    const double of_one = 3 * 2 * static_cast<double>(z_.hidden) * static_cast<double>(z_.ffn);
    return Flops(of_one * static_cast<double>(z_.batch * std::max<int64_t>(places - taken, 0)));
  }

  const MoeSizes z_;
  const Residual residual_;
  Network net_;
  const bool training_;
  Value zero_{};
  std::optional<Value> balance_;
  Flops padding_;
};

Model build(const Request& request, const ir::OpTable& ops) {
  const FilledValues values(moe_keys(), request.sizes);
  const MoeSizes sizes = read_moe(values, request);
  const Phase phase    = read_phase(values);
  MoeWriter writer(sizes, request, ops);
  if (request.mode == Mode::training) {
    ir::Module module = writer.training();
    return {std::move(module), sizes.sequence, writer.padding()};
  }
  return writer.generation(phase);
}

}  // namespace

WorkloadDef row() {
  return {"moe",
          "a decoder whose layers choose among experts (Mixtral), with grouped heads, rotary positions and SwiGLU; "
          "inference with a cache of keys and values",
          moe_keys(),
          build,
          {.is_causal = true, .has_experts = true, .decodes_by_context = true}};
}

}  // namespace foreflow::workload::definitions::moe
