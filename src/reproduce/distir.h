// Shared by the tables and figures of DistIR (Santhanam et al., 2021): six models on the 16 GPUs of a DGX-2.
#pragma once

#include <array>
#include <string_view>

#include "reproduce/choices.h"

namespace foreflow::reproduce::distir {

constexpr std::string_view kPaper =
    "Santhanam et al., DistIR: An Intermediate Representation and Simulator for Efficient Neural Network Distribution "
    "(2021), arXiv 2111.05426";

struct Model {
  std::string_view name;      // as the paper prints it
  std::string_view scenario;  // below scenarios/distir_table1
};
inline constexpr std::array kModels = {Model{"MLP 1B", "mlp_1b"},      Model{"MLP 17B", "mlp_17b"},
                                       Model{"MLP 103B", "mlp_103b"},  Model{"GPT-2 1.6B", "gpt2_1.6b"},
                                       Model{"GPT-2 13B", "gpt2_13b"}, Model{"GPT-2 175B", "gpt2_175b"}};

// The search space of the model with this name. Throws Error at `where` when there is none.
Question space_of(const Options& options, const std::string& model, const std::string& where);

// The file of published numbers.
std::string published(const Options& options, std::string_view name);

// The authors ran the ten best of a ranking, and printed the fastest.
constexpr size_t kRun = 10;

// The first `top` of the ranking are exact.
search::Result searched(const Question& question, const Options& options, search::Pruning pruning, size_t top = 1);

}  // namespace foreflow::reproduce::distir
