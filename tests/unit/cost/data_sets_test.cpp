// The forms of published measurements; expected samples worked out by hand.
#include "cost/data_sets.h"

#include <gtest/gtest.h>

#include "foreflow/base/error.h"

namespace foreflow::cost::data_sets_test {
namespace {

const std::string kKernels = "# NVIDIA H100\nkind,op,dtype,signature,seconds\n";

TEST(KernelsInTraining, AreProductsThatTakeLongEnough) {
  const auto sets = read_data_sets(
      kKernels +
          "compute,MatMul,bf16,MatMul(bf16[2x64x512] bf16[512x256]) -> bf16[2x64x256],2e-4\n"
          "compute,MatMul,bf16,MatMul(bf16[4x64x512] bf16[4x512x256]) -> bf16[4x64x256],3e-4\n"
          "compute,Gemm,bf16,\"Gemm{transB=1 beta=0.5}(bf16[64x512] bf16[256x512] bf16[256]) -> bf16[64x256]\",4e-4\n"
          "compute,MatMul,bf16,MatMul(bf16[64x512] bf16[512x256]) -> bf16[64x256],5e-5\n"
          "compute,MatMul,bf16,MatMul(bf16[64x512] bf16[512x250]) -> bf16[64x250],2e-4\n"
          "compute,MatMul,f32,MatMul(f32[64x512] f32[512x256]) -> f32[64x256],2e-4\n"
          "compute,Add,bf16,Add(bf16[64x512] bf16[64x512]) -> bf16[64x512],2e-4\n",
      "kernels.csv", "h100_sxm");
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_EQ(sets[0].of, "bf16 in training");
  EXPECT_TRUE(sets[0].clock_only);
  ASSERT_EQ(sets[0].samples.size(), 3u);  // not a short one, an unaligned one, another type, another op
  EXPECT_EQ(sets[0].samples[0].sizes, (Sizes{128, 256, 512, 2, 2, 0, 1}));
  EXPECT_EQ(sets[0].samples[1].sizes, (Sizes{64, 256, 512, 2, 2, 0, 4}));
  EXPECT_EQ(sets[0].samples[2].sizes, (Sizes{64, 256, 512, 2, 2, 0, 1}));
  EXPECT_DOUBLE_EQ(sets[0].samples[2].seconds, 4e-4);
}

TEST(KernelsInTraining, NameTheLineThatIsWrong) {
  const auto error_of = [](const std::string& row) {
    try {
      read_data_sets(kKernels + row, "kernels.csv", "h100_sxm");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(error_of("compute,MatMul,bf16,MatMul(bf16[2x4] bf16[4xq]) -> bf16[2x8],2e-4\n"),
            "kernels.csv:3: signature has the size \"q\"; write numbers above 0");
  EXPECT_EQ(error_of("compute,MatMul,bf16,MatMul,2e-4\n"),
            "kernels.csv:3: signature is \"MatMul\"; write two operands and a result in bf16");
}

TEST(ProductsOfServing, SayWhoChoseTheirTile) {
  const std::string rows = "dtype,m,n,k,latency_ms\nbfloat16,64,128,256,0.01\nfp8,64,128,256,0.02\n";
  const auto ada         = read_data_sets(rows, "gemm.csv", "l40s");
  ASSERT_EQ(ada.size(), 2u);
  EXPECT_EQ(ada[0].samples[0].sizes, (Sizes{64, 128, 256, 2, 2, 0}));
  EXPECT_EQ(ada[1].samples[0].sizes, (Sizes{64, 128, 256, 1, 2, 0, 0, 1}));
  EXPECT_EQ(read_data_sets(rows, "gemm.csv", "b200_sxm")[0].samples[0].sizes, (Sizes{64, 128, 256, 2, 2, 0, 0, 2}));
  EXPECT_EQ(read_data_sets(rows, "gemm.csv", "h100_sxm")[1].samples[0].sizes, (Sizes{64, 128, 256, 1, 2, 0}));
}

const std::string kNames = "op,peak_tflops,shape,efficiency_fraction_of_peak\n";

std::vector<DataSet> shares(const std::string& rows) { return read_data_sets(kNames + rows, "shares.csv", "b200_sxm"); }

TEST(SharesOfThePeak, AreTimesOfTheProductsOfTraining) {
  const auto sets = shares(
      "matmul,2000,\"b=1, m=4096, k=8192, n=1024, layout=TN, accumulate=False, out_dtype=bf16\",0.5\n"
      "matmul,2000,\"b=2, m=1024, k=4096, n=8192, layout=NT, accumulate=True, out_dtype=fp32\",0.25\n");
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_EQ(sets[0].law, "product");
  EXPECT_EQ(sets[0].of, "bf16 in training");
  ASSERT_EQ(sets[0].samples.size(), 2u);
  EXPECT_EQ(sets[0].samples[0].sizes, (Sizes{4096, 1024, 8192, 2, 2, 0}));
  EXPECT_DOUBLE_EQ(sets[0].samples[0].seconds, 2.0 * 4096 * 1024 * 8192 / (2000e12 * 0.5));
  EXPECT_EQ(sets[0].samples[1].sizes, (Sizes{2048, 8192, 4096, 2, 8, 0}));  // a sum in fp32 is read and written
  EXPECT_DOUBLE_EQ(sets[0].samples[1].seconds, 2.0 * 2 * 1024 * 8192 * 4096 / (2000e12 * 0.25));
}

TEST(SharesOfThePeak, CountTheWholeSquareOfAttention) {
  const auto sets = shares(
      "sdp_fwd,1000,\"batch=2, seq_len=4096, head_num=16, kv_head_num=2, qk_head_dim=192, v_head_dim=128\",0.5\n"
      "sdp_bwd,1000,\"batch=2, seq_len=4096, head_num=16, kv_head_num=2, qk_head_dim=192, v_head_dim=128\",0.5\n"
      "group_matmul,1000,\"ng=160, M=154\",0.5\n");
  ASSERT_EQ(sets.size(), 2u);
  const double forward = 2.0 * 2 * 4096 * 4096 * 16 * (192 + 128) / (1000e12 * 0.5);
  EXPECT_EQ(sets[0].of, "bf16 backward");
  EXPECT_EQ(sets[0].samples[0].sizes, (Sizes{2, 4096, 16, 2, 192, 2, 1}));  // as wide as prices take heads
  EXPECT_DOUBLE_EQ(sets[0].samples[0].seconds, 2.5 * forward);
  EXPECT_EQ(sets[1].of, "bf16 in training");
  EXPECT_DOUBLE_EQ(sets[1].samples[0].seconds, forward);
}

// The kernels of serving put keys and values into a paged cache, those of training do not.
TEST(MeasuredAttention, OfServingWritesItsCache) {
  const auto sets = read_data_sets(
      "kv_cache_dtype,batch_size,isl,num_heads,num_key_value_heads,head_dim,latency_ms\nbfloat16,2,4096,16,4,128,0.5\n",
      "context.csv", "h100_sxm");
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_EQ(sets[0].samples[0].sizes, (Sizes{2, 4096, 16, 4, 128, 2, 0, 1}));
}

std::string message_of(const std::string& rows) {
  try {
    shares(rows);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was wrong";
}

TEST(SharesOfThePeak, SayWhatIsWrongWithAShape) {
  EXPECT_EQ(message_of("matmul,2000,m,0.5\n"), "shares.csv:2: shape has \"m\"; write name=value");
  EXPECT_EQ(message_of("matmul,2000,b=1,0.5\n"), "shares.csv:2: shape has no \"m\"");
  EXPECT_EQ(message_of("matmul,2000,\"b=1, m=-3\",0.5\n"), "shares.csv:2: shape has m=-3; write a number above 0");
}

TEST(LayersOfATransformer, GiveProductsOfDevicesThatWereNotMeasuredOtherwise) {
  const std::string text =
      "time_stats.add.median,time_stats.mlp_up_proj.median,time_stats.mlp_down_proj.median,"
      "time_stats.attn_pre_proj.median,time_stats.attn_post_proj.median,n_embd,n_expanded_embd,num_tokens,"
      "num_tensor_parallel_workers\n0.02,1,0.5,0.4,0.1,4096,11008,512,2\n";
  const auto a40 = read_data_sets(text, "layers.csv", "a40"), a100 = read_data_sets(text, "layers.csv", "a100_sxm");
  ASSERT_EQ(a40.size(), 1u);  // additions of one of two shards say nothing that one alone does not
  ASSERT_EQ(a40[0].samples.size(), 4u);
  EXPECT_EQ(a40[0].samples[0].sizes, (Sizes{512, 11008, 4096, 2, 2, 0}));
  EXPECT_DOUBLE_EQ(a40[0].samples[0].seconds, 1e-3);
  EXPECT_EQ(a40[0].samples[3].sizes, (Sizes{512, 4096, 2048, 2, 2, 0}));
  EXPECT_TRUE(a100.empty());
}

}  // namespace
}  // namespace foreflow::cost::data_sets_test
