// GPT inference as its ONNX export does it, node for node.
#pragma once

#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// The sizes of the scenario's workload, a family "gpt", over the graph of GPT-2's export.
Sequential gpt_inference(const Scenario& scenario);

}  // namespace foreflow::scenario
