// Why one of ONNX's backend tests is not supported.
#pragma once

#include <optional>
#include <string>

namespace foreflow::backend {

struct Reason {
  std::string
      why;  // "training-preview", "sequence", "optional", "string", "random", "test data", or "op" for all others
  std::string op;  // which op asks for it; "graph" where the inputs of the graph do
};

// Tests whose outputs no implementation is meant to reproduce.
std::optional<Reason> reason_by_name(const std::string& test);

// From what the importer or the reference executor said.
Reason reason_by_message(const std::string& message);

}  // namespace foreflow::backend
