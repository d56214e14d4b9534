// The scenarios that are timed.
#pragma once

#include <string>
#include <vector>

#include "foreflow/scenario/run.h"

namespace foreflow::bench {

struct Degrees {
  int dp = 1, tp = 1, pp = 1, microbatches = 1;
};

// The DistIR paper's MLP 1B (16 layers of 8192) in fp16, batch 65536, on 16 GPUs of a DGX-2, with its authors' cost
// model.
scenario::Scenario mlp_1b(const Degrees& degrees, const std::string& engine = "analytic");

// GPT-2 of 175B parameters (96 layers of 12288) in the node structure of a real ONNX export: 8 tokens of inference.
scenario::Scenario gpt_175b();

// Training a GPT of 175B parameters on `nodes` nodes of 8 A100.
scenario::Scenario gpt_training(int nodes, const Degrees& degrees, const std::string& engine, int layers = 96);

// The grid of the DistIR authors at one batch: every D * T * P = 16 in powers of two, with 2 to 128 microbatches where
// P > 1.
std::vector<Degrees> grid_of_16();

// How many ops run: those of the entry function, and of what it calls as often as it is called.
double executed_ops(const ir::Module& module);

}  // namespace foreflow::bench
