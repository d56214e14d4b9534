// Writes ONNX graphs of the GPT-2 family without weights. They have the same nodes as the PyTorch export of GPT-2 at
// opset 10 (`gpt2-10.onnx`).
#pragma once

#include <cstdint>
#include <string>

namespace foreflow::onnx {

struct Gpt2Size {
  int64_t layers     = 12;
  int64_t heads      = 12;
  int64_t hidden     = 768;
  int64_t vocabulary = 50257;
  int64_t positions  = 1024;
};

// The bytes of an `.onnx` file with 32 + 211 * layers + 17 nodes. The weights are external tensors in a file that does
// not exist. The input is a tensor of token numbers [batch, choices, sequence]. Throws Error if a size is not positive,
// or if `hidden` is not a multiple of `heads`.
std::string write_gpt2(const Gpt2Size& size);

}  // namespace foreflow::onnx
