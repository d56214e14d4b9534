#include "support/families.h"

#include "support/distribution.h"

namespace foreflow::test {

using workload::Mode;

const std::map<std::string, Member>& members() {
  static const std::map<std::string, Member> kMembers = {
      {"bert",
       {"bert",
        R"({"layers": 4, "hidden": 8, "heads": 4, "feed_forward": 16, "sequence": 3, "positions": 5, "vocabulary": 7})",
        Mode::training, 2}},
      {"llama",
       {"llama",
        R"({"layers": 4, "hidden": 16, "heads": 8, "kv_heads": 4, "feed_forward": 12, "sequence": 4, "vocabulary": 7})"}},
      {"llama_prefill",
       {"llama",
        R"({"layers": 4, "hidden": 16, "heads": 8, "kv_heads": 4, "feed_forward": 12, "sequence": 4, "vocabulary": 5})",
        Mode::inference}},
      {"llama_decode",
       {"llama",
        R"({"layers": 4, "hidden": 16, "heads": 8, "kv_heads": 4, "feed_forward": 12, "sequence": 4, "vocabulary": 5, "phase": "decode", "context": 6})",
        Mode::inference}},
      {"gpt_prefill",
       {"gpt", R"({"layers": 4, "hidden": 8, "heads": 4, "sequence": 4, "vocabulary": 5, "phase": "prefill"})",
        Mode::inference}},
      {"gpt_decode",
       {"gpt",
        R"({"layers": 4, "hidden": 8, "heads": 4, "sequence": 8, "vocabulary": 5, "phase": "decode", "context": 6})",
        Mode::inference}},
      {"moe",
       {"moe",
        R"({"layers": 4, "hidden": 16, "heads": 8, "kv_heads": 4, "feed_forward": 12, "sequence": 4, "vocabulary": 7, "experts": 4, "capacity_factor": 1, "routing_groups": 2, "shared_experts": 1, "dense_layers": 1, "balance_loss": 0.5})"}},
      {"moe_prefill",
       {"moe",
        R"({"layers": 4, "hidden": 16, "heads": 8, "kv_heads": 4, "feed_forward": 12, "sequence": 4, "vocabulary": 5, "experts": 4})",
        Mode::inference}},
      {"moe_decode",
       {"moe",
        R"({"layers": 4, "hidden": 16, "heads": 8, "kv_heads": 4, "feed_forward": 12, "sequence": 4, "vocabulary": 5, "experts": 4, "phase": "decode", "context": 6})",
        Mode::inference}},
      {"resnet", {"resnet", R"({"depth": 14, "width": 4, "image": 32, "classes": 3})", Mode::training, 3, 2}},
      {"resnet_groups",
       {"resnet", R"({"depth": 14, "width": 4, "image": 32, "classes": 3, "normalization": "group"})", Mode::training,
        3, 1}},
      {"t5",
       {"t5",
        R"({"layers": 2, "hidden": 8, "heads": 4, "head_size": 2, "feed_forward": 12, "sequence": 4, "target_sequence": 3, "vocabulary": 7})"}},
      {"t5_prefill",
       {"t5",
        R"({"layers": 2, "hidden": 8, "heads": 4, "head_size": 2, "feed_forward": 12, "sequence": 4, "vocabulary": 7})",
        Mode::inference}},
      {"t5_decode",
       {"t5",
        R"({"layers": 2, "hidden": 8, "heads": 4, "head_size": 2, "feed_forward": 12, "sequence": 4, "vocabulary": 7, "phase": "decode", "context": 6})",
        Mode::inference}},
      {"unet", {"unet", R"({"blocks": 2, "width": 8, "image": 4, "heads": 2, "context": 3})", Mode::training, 5, 2}},
      {"vit",
       {"vit", R"({"layers": 4, "hidden": 8, "heads": 4, "image": 8, "patch": 4, "classes": 3})", Mode::training, 3}},
  };
  return kMembers;
}

ir::Module built(const Member& member, int64_t batch) {
  return family(member.family, member.sizes, batch, member.mode);
}

}  // namespace foreflow::test
