#include "ops/common/activation.h"

#include <array>
#include <cmath>

namespace foreflow::ops {

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

constexpr std::array kRows = {
    ActivationRow{"Relu", [](double x, double, double) { return x > 0 ? x : 0; },
                  [](double x, double, double) { return x > 0 ? 1.0 : 0.0; }},
    ActivationRow{"Tanh", [](double x, double, double) { return std::tanh(x); },
                  [](double x, double, double) { return 1 - std::tanh(x) * std::tanh(x); }},
    ActivationRow{"Sigmoid", [](double x, double, double) { return sigmoid(x); },
                  [](double x, double, double) { return sigmoid(x) * (1 - sigmoid(x)); }},
    ActivationRow{"Affine", [](double x, double a, double b) { return a * x + b; },
                  [](double, double a, double) { return a; }, 1, 0, 2},
    ActivationRow{"LeakyRelu", [](double x, double a, double) { return x >= 0 ? x : a * x; },
                  [](double x, double a, double) { return x >= 0 ? 1 : a; }, 0.01, 0, 1},
    ActivationRow{"ThresholdedRelu", [](double x, double a, double) { return x >= a ? x : 0; },
                  [](double x, double a, double) { return x >= a ? 1.0 : 0.0; }, 1, 0, 1},
    ActivationRow{"ScaledTanh", [](double x, double a, double b) { return a * std::tanh(b * x); },
                  [](double x, double a, double b) { return a * b * (1 - std::tanh(b * x) * std::tanh(b * x)); }, 1, 1,
                  2},
    ActivationRow{"HardSigmoid", [](double x, double a, double b) { return std::min(std::max(a * x + b, 0.0), 1.0); },
                  [](double x, double a, double b) { return a * x + b > 0 && a * x + b < 1 ? a : 0; }, 0.2, 0.5, 2},
    ActivationRow{"Elu", [](double x, double a, double) { return x >= 0 ? x : a * (std::exp(x) - 1); },
                  [](double x, double a, double) { return x >= 0 ? 1 : a * std::exp(x); }, 1, 0, 1},
    ActivationRow{"Softsign", [](double x, double, double) { return x / (1 + std::abs(x)); },
                  [](double x, double, double) { return 1 / ((1 + std::abs(x)) * (1 + std::abs(x))); }},
    ActivationRow{"Softplus", [](double x, double, double) { return std::log1p(std::exp(x)); },
                  [](double x, double, double) { return sigmoid(x); }},
};

const ActivationRow& row_of(const OpCall& call, std::string_view name) {
  std::string names;
  for (const ActivationRow& row : kRows) {
    if (row.name == name) return row;
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  call.fail("activation \"" + std::string(name) + "\"; one of " + names + " would be right");
}

std::vector<double> numbers(const OpCall& call, std::string_view attribute) {
  const ir::Attribute* found = call.attributes.find(attribute);
  if (found == nullptr) return {};
  if (const auto* list = std::get_if<std::vector<double>>(found)) return *list;
  const auto whole = call.attributes.get_ints(attribute);
  return {whole.begin(), whole.end()};
}

}  // namespace

std::vector<Activation> activations_of(const OpCall& call, std::span<const std::string_view> defaults,
                                       size_t directions) {
  std::vector<std::string> names;
  if (const ir::Attribute* given = call.attributes.find("activations")) {
    if (const auto* list = std::get_if<std::vector<std::string>>(given)) names = *list;
  }
  const bool any = !names.empty();
  for (size_t d = 0; !any && d < directions; ++d) names.insert(names.end(), defaults.begin(), defaults.end());
  if (names.size() != directions * defaults.size()) {
    call.fail("activations has " + std::to_string(names.size()) + " names; " +
              std::to_string(directions * defaults.size()) + " would be right");
  }
  const std::vector<double> alphas = numbers(call, "activation_alpha"), betas = numbers(call, "activation_beta");
  size_t alpha = 0, beta = 0;
  std::vector<Activation> activations;
  for (const std::string& name : names) {
    const ActivationRow& row = row_of(call, name);
    Activation activation{&row, row.alpha, row.beta};
    if (row.parameters > 0 && alpha < alphas.size()) activation.alpha = alphas[alpha++];
    if (row.parameters > 1 && beta < betas.size()) activation.beta = betas[beta++];
    activations.push_back(activation);
  }
  return activations;
}

}  // namespace foreflow::ops
