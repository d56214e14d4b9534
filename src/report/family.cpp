#include "report/family.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace foreflow::report {

const Family kIdle = {"idle", "#eceff3"};

namespace {

struct Rule {
  Family family;
  std::vector<std::string_view> words;  // any of these in the lower-case name
};

// The first rule that matches wins.
const std::vector<Rule>& phases() {
  static const std::vector<Rule> rows = {
      {{"recompute", "#b5dcd5"}, {"recompute"}},
      {{"optimizer", "#c3abe0"}, {"optimizer", "optimiser", "adam", "sgd", "update"}},
      {{"weight gradient", "#b9dba3"}, {"weight_grad", "wgrad", "backward_weight"}},
      {{"backward", "#86c19a"}, {"backward", "_bwd", "grad"}},
      {{"forward", "#8ab4e8"}, {"forward", "_fwd"}},
  };
  return rows;
}

const std::vector<Rule>& op_families() {
  static const std::vector<Rule> rows = {
      {{"attention", "#5b8def"}, {"attention"}},
      {{"matrix multiply", "#8ab4e8"}, {"matmul", "gemm", "conv", "linear"}},
      {{"optimizer", "#c3abe0"},
       {"adam", "sgd", "momentum", "adagrad", "optimizer", "update", "squarednorm", "clipgradients"}},
      {{"normalisation", "#5fb3b3"}, {"normalization", "norm"}},
      {{"softmax and loss", "#d98cb3"}, {"softmax", "loss", "crossentropy"}},
      {{"embedding", "#c7b26b"}, {"gather", "scatter", "embedding", "onehot"}},
      {{"data movement", "#b8a99a"},
       {"reshape", "transpose", "concat", "split", "slice", "pad", "cast", "copy", "identity", "expand", "squeeze",
        "tile", "flatten"}},
      {{"reduction", "#b9dba3"}, {"reduce", "pool", "argmax", "topk", "cumsum"}},
  };
  return rows;
}

constexpr Family kElementwise = {"element-wise", "#9fc5a2"};

struct KindRule {
  collective::Kind kind;
  Family family;
};
constexpr KindRule kKindRules[] = {
    {collective::Kind::send, {"send", "#f5b36b"}},
    {collective::Kind::all_reduce, {"all-reduce", "#ec8278"}},
    {collective::Kind::all_gather, {"all-gather", "#ee8f7d"}},
    {collective::Kind::reduce_scatter, {"reduce-scatter", "#cf5c78"}},
    {collective::Kind::all_to_all, {"all-to-all", "#b85c38"}},
    {collective::Kind::shift, {"ring shift", "#d97f3e"}},
};
constexpr Family kCollective = {"other collective", "#d9a441"};

const Family* match(const std::vector<Rule>& rules, std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Rule& rule : rules) {
    for (const std::string_view word : rule.words) {
      if (lower.find(word) != std::string::npos) return &rule.family;
    }
  }
  return nullptr;
}

}  // namespace

const Family& family_of_op(std::string_view op) {
  const Family* found = match(op_families(), op);
  return found != nullptr ? *found : kElementwise;
}

std::string_view colour_of(std::string_view family) {
  for (const Rule& rule : op_families()) {
    if (rule.family.name == family) return rule.family.colour;
  }
  for (const KindRule& rule : kKindRules) {
    if (rule.family.name == family) return rule.family.colour;
  }
  return family == kCollective.name ? kCollective.colour : kElementwise.colour;
}

const Family& family_of(const stream::Communication& communication) {
  for (const KindRule& rule : kKindRules) {
    if (rule.kind == communication.kind) return rule.family;
  }
  return kCollective;
}

const Family& phase_of(const stream::Compute& compute) {
  if (const Family* phase = match(phases(), compute.name)) return *phase;
  const auto longest =
      std::max_element(compute.parts.begin(), compute.parts.end(),
                       [](const stream::Part& a, const stream::Part& b) { return a.duration < b.duration; });
  return family_of_op(longest != compute.parts.end() ? longest->name : compute.name);
}

}  // namespace foreflow::report
