// Rewrites nodes of old opsets as nodes of the newest one, which the op table follows.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "onnx/node.h"

namespace foreflow::onnx {

// The rank of a value, if the file states it (in graph inputs, initializers or value_info).
using RankOf = std::function<std::optional<size_t>(const std::string& value)>;

// Throws Error at node.where if the newest opset cannot express the node.
void normalise(Node& node, const RankOf& rank_of);

// The newest name of one of ONNX's own ops: Resize for Upsample.
std::string_view newest_name(std::string_view op);

namespace rules {
void batch_normalization(Node& node, const RankOf& rank_of);
void broadcast(Node& node, const RankOf& rank_of);
void cast(Node& node, const RankOf& rank_of);
void concat(Node& node, const RankOf& rank_of);
void constant(Node& node, const RankOf& rank_of);
void data_type(Node& node, const RankOf& rank_of);
void dft(Node& node, const RankOf& rank_of);
void dropout(Node& node, const RankOf& rank_of);
void flatten_to_matrix(Node& node, const RankOf& rank_of);
void output_dtype(Node& node, const RankOf& rank_of);
void output_data_type(Node& node, const RankOf& rank_of);
void pad(Node& node, const RankOf& rank_of);
void random(Node& node, const RankOf& rank_of);
void prelu(Node& node, const RankOf& rank_of);
void resize(Node& node, const RankOf& rank_of);
void roi_align(Node& node, const RankOf& rank_of);
void upsample(Node& node, const RankOf& rank_of);
}  // namespace rules

}  // namespace foreflow::onnx
