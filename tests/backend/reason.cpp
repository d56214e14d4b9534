#include "backend/reason.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace foreflow::backend {
namespace {

struct NameRow {
  std::string_view beginning, why, op;
};

// Random numbers come from ONNX's own generator, which has drawn others before.
constexpr std::array kNames = {
    NameRow{"test_bernoulli", "random", "Bernoulli"},
    NameRow{"test_multinomial", "random", "Multinomial"},
    NameRow{"test_random", "random", "Random"},
    // The expected numbers come from an epsilon of 1e-2, which the model does not state.
    NameRow{"test_adam_multiple", "test data", "Adam"},
    // The data wrap around where the specification, and ONNX Runtime, hold numbers to the range of Int8.
    NameRow{"test_qlinearmatmul_2D_int8_float", "test data", "QLinearMatMul"},
    NameRow{"test_qlinearmatmul_3D_int8_float", "test data", "QLinearMatMul"},
};

// Data of ONNX 1.19 in which the softcap comes behind the mask, and the steps of qk_matmul_output with it. The text and
// the reference evaluator of ONNX 1.23 put it before, in the opset of these data, too.
//
// The same for grouped queries: these data repeat all key heads one after the other, ONNX 1.23 each for its
// neighbouring queries, as onnxruntime 1.32 does.
constexpr std::array<std::string_view, 22> kCorrected = {
    "test_attention_3d_gqa",
    "test_attention_3d_gqa_attn_mask",
    "test_attention_3d_gqa_causal",
    "test_attention_3d_gqa_scaled",
    "test_attention_3d_gqa_softcap",
    "test_attention_3d_gqa_with_past_and_present",
    "test_attention_4d_gqa",
    "test_attention_4d_gqa_attn_mask",
    "test_attention_4d_gqa_causal",
    "test_attention_4d_gqa_scaled",
    "test_attention_4d_gqa_softcap",
    "test_attention_4d_gqa_with_past_and_present",
    "test_attention_4d_gqa_with_past_and_present_fp16",
    "test_attention_3d_with_past_and_present_qk_matmul_bias",
    "test_attention_3d_with_past_and_present_qk_matmul_softcap",
    "test_attention_4d_with_past_and_present_qk_matmul_bias",
    "test_attention_4d_with_past_and_present_qk_matmul_bias_3d_mask",
    "test_attention_4d_with_past_and_present_qk_matmul_bias_3d_mask_causal",
    "test_attention_4d_with_past_and_present_qk_matmul_bias_4d_mask",
    "test_attention_4d_with_past_and_present_qk_matmul_bias_4d_mask_causal",
    "test_attention_4d_with_qk_matmul_bias",
    "test_attention_4d_with_qk_matmul_softcap"};

struct MessageRow {
  std::string_view part, why;
};

// The first part that fits decides.
constexpr std::array kMessages = {
    MessageRow{"ai.onnx.preview.training", "training-preview"},
    MessageRow{"op Optional", "optional"},
    MessageRow{"\"opt_", "optional"},
    MessageRow{"op Sequence", "sequence"},
    MessageRow{"op SplitToSequence", "sequence"},
    MessageRow{"op ConcatFromSequence", "sequence"},
    MessageRow{"is a map, a sparse", "map"},
    MessageRow{"STRING", "string"},
    MessageRow{"op StringNormalizer", "string"},
    MessageRow{"is annotated", "test data"},  // a stored input of another type than the model states
};

// "node 3: op LSTM (opset 14) ...", or "@main: %y = Resize: ...".
std::string op_of(const std::string& message) {
  for (const std::string_view before : {": op ", " = "}) {
    size_t begin = message.find(before);
    if (begin == std::string::npos) continue;
    begin += before.size();
    return message.substr(begin, message.find_first_of(" :([", begin) - begin);
  }
  return "graph";
}

}  // namespace

std::optional<Reason> reason_by_name(const std::string& test) {
  if (std::find(kCorrected.begin(), kCorrected.end(), test) != kCorrected.end())
    return Reason{"test data", "Attention"};
  const auto row =
      std::find_if(kNames.begin(), kNames.end(), [&](const NameRow& r) { return test.starts_with(r.beginning); });
  if (row == kNames.end()) return std::nullopt;
  return Reason{std::string(row->why), std::string(row->op)};
}

Reason reason_by_message(const std::string& message) {
  const auto row = std::find_if(kMessages.begin(), kMessages.end(),
                                [&](const MessageRow& r) { return message.find(r.part) != std::string::npos; });
  return {row == kMessages.end() ? "op" : std::string(row->why), op_of(message)};
}

}  // namespace foreflow::backend
