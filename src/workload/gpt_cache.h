// GPT-2 and GPT-3 with a cache of keys and values: inference from a native program, unlike the graph of the ONNX
// export.
#pragma once

#include "foreflow/workload/workload.h"

namespace foreflow::workload {

// Prefill returns logits[b,v] of the token after the prompt, and keys and values[b,a,s,d] of every layer; decode logits
// of the next token, and the caches[b,a,t,d] with the new token in them. Weights are named and shaped as in training.
// `values`: of the keys of gpt.
Model gpt_with_cache(const FilledValues& values, const Request& request, const ir::OpTable& ops);

}  // namespace foreflow::workload
