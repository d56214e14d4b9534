// Exports of real models, shrunk until the reference executor runs them in moments.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "foreflow/ir/module.h"

namespace foreflow::test {

using Shapes = std::map<std::string, ir::Dims>;

// An export in shared/onnx/models, and what makes a small program with a loss of it.
struct Imported {
  std::string name, file;
  Shapes shapes = {};  // of data inputs
  std::string loss;
  int64_t divisor                  = 1;    // of every dimension of 64 or more that it divides
  std::map<int64_t, int64_t> sizes = {};   // dimensions that become others
  std::string output               = "0";  // the prediction
  int64_t axis                     = -1;   // of its classes
  std::vector<std::string> weights = {};
  size_t most                      = 40;      // parameters to move
  std::string mask                 = "mask";  // in the name of an attention mask
};

// All that can be trained.
const std::vector<Imported>& imports();

// The parameters of the exported LLaMA layer that are weights.
const std::vector<std::string>& llama_weights();

// The program of the file, and with its loss, in Float64.
ir::Module without_loss(const std::filesystem::path& file, const Imported& subject);
ir::Module with_loss(const std::filesystem::path& file, const Imported& subject);

}  // namespace foreflow::test
