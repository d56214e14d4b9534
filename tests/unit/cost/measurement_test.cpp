#include "foreflow/cost/measurement.h"

#include <gmock/gmock.h>

#include "foreflow/base/error.h"

namespace foreflow::cost::measurement_test {
namespace {

const std::string kHeader = "kind,op,dtype,signature,ranks,flops,bytes_read,bytes_written,message_bytes,seconds\n";

std::string message_of(const std::string& text) {
  try {
    parse_csv(text, "times.csv");
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was wrong";
}

// As files were written before `count`, the targets of the whole batch, was left out of signatures.
TEST(Measurements, HaveTheSignaturesOfToday) {
  const auto rows =
      parse_csv(kHeader + "compute,Loss,f32,Loss{count=64}(f32[4] f32[4]) -> f32[4],1,12,32,16,0,2e-6\n", "times.csv");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].signature, "Loss(f32[4] f32[4]) -> f32[4]");
}

TEST(Measurements, ReadBackFromTheirText) {
  Measurement compute{Measurement::Kind::compute,
                      1,
                      "Gemm",
                      "f16",
                      "Gemm{x=\"a,b\"}(f16[2x3])",
                      1,
                      Flops(12),
                      Bytes(34),
                      Bytes(5),
                      Bytes(0),
                      7,
                      Seconds(1.25e-5),
                      Seconds(1e-5)};
  Measurement message{Measurement::Kind::message,
                      0,
                      "Send",
                      "f32",
                      "Send 64 B over 2",
                      2,
                      Flops(0),
                      Bytes(0),
                      Bytes(0),
                      Bytes(64),
                      3,
                      Seconds(0.1),
                      Seconds(0.05)};
  const std::string text = print_csv(std::vector{compute, message});
  const auto read        = parse_csv(text, "times.csv");
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].signature, compute.signature);
  EXPECT_EQ(read[0].time, compute.time);
  EXPECT_EQ(read[1].kind, Measurement::Kind::message);
  EXPECT_EQ(read[1].message, Bytes(64));
  EXPECT_EQ(print_csv(read), text);
}

TEST(Measurements, OfMessagesSayOnHowManyNodesTheyWere) {
  const std::string head = kHeader.substr(0, kHeader.size() - 1) + ",nodes\n";
  const auto read =
      parse_csv(head + "message,Send,f32,Send 64 B over 2,2,0,0,0,64,1e-5,2\n" +
                    "message,Send,f32,Send 64 B over 2,2,0,0,0,64,1e-6,\ncompute,Add,f32,s,1,3,2,1,0,1,1\n",
                "times.csv");
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].nodes, 2);
  EXPECT_EQ(read[1].nodes, 1);
  EXPECT_EQ(parse_csv(print_csv(read), "times.csv")[0].nodes, 2);
  EXPECT_EQ(print_csv(std::span(read).subspan(1)).find("nodes"), std::string::npos);
  EXPECT_EQ(message_of(head + "message,Send,f32,s,2,0,0,0,64,1,3\n"),
            "times.csv:2: nodes is \"3\"; write at most 2, the number of ranks");
  EXPECT_EQ(message_of(head + "message,Send,f32,s,2,0,0,0,64,1,0\n"),
            "times.csv:2: nodes is \"0\"; write a whole number from 1");
}

TEST(Measurements, OfComputesMaySayOnWhichDevice) {
  const std::string head = kHeader.substr(0, kHeader.size() - 1) + ",device\n";
  const auto read =
      parse_csv(head + "compute,Add,f32,s,1,3,2,1,0,1,V100-SXM2-16GB\ncompute,Add,f32,s,1,3,2,1,0,1,\n", "times.csv");
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].device, "V100-SXM2-16GB");
  EXPECT_EQ(read[1].device, "");
  EXPECT_EQ(parse_csv(print_csv(read), "times.csv")[0].device, "V100-SXM2-16GB");
  EXPECT_EQ(print_csv(std::span(read).subspan(1)).find("device"), std::string::npos);
  EXPECT_EQ(message_of(head + "message,Send,f32,s,2,0,0,0,64,1,V100-SXM2-16GB\n"),
            "times.csv:2: device is \"V100-SXM2-16GB\"; leave it empty for a message");
}

std::string refusal_of(const std::string& rows) {
  try {
    check_work(parse_csv(kHeader + rows, "times.csv"), "times.csv");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Measurements, OfOneSignatureAreTheSameWork) {
  EXPECT_EQ(
      refusal_of("message,Send,f32,Send 1000 B over 2,2,0,0,0,1000,1e-5\n"
                 "message,Send,f32,Send 1000 B over 2,2,0,0,0,9000000,1e-5\n"),
      "times.csv: the signature \"Send 1000 B over 2\" stands in rows with message_bytes 1000 and 9000000; rows of "
      "one signature are the same work, so give other work another signature");
  EXPECT_EQ(refusal_of("compute,Relu,f32,Relu(f32[9]) -> f32[9],1,9,36,36,0,1e-5\n"
                       "compute,Relu,f32,Relu(f32[9]) -> f32[9],1,10,36,36,0,1e-5\n"),
            "times.csv: the signature \"Relu(f32[9]) -> f32[9]\" stands in rows with flops 9 and 10; rows of one "
            "signature are the same work, so give other work another signature");
}

// Messages of two types share the text of their signature; positions decide the work of attention.
TEST(Measurements, MayDifferInWorkWhereTheSignatureDoesNotDecideIt) {
  EXPECT_EQ(refusal_of("message,Send,f32,Send 1000 B over 2,2,0,0,0,1000,1e-5\n"
                       "message,Send,f16,Send 1000 B over 2,2,0,0,0,1000,2e-5\n"
                       "message,Send,f32,Send 1000 B over 2,2,0,0,0,1000,3e-5\n"),
            "none");
  EXPECT_EQ(refusal_of("compute,Slice,f32,Slice(f32[9] i64[1]) -> f32[9],1,9,36,36,0,1e-5\n"
                       "compute,Slice,f32,Slice(f32[9] i64[1]) -> f32[9],1,18,36,36,0,1e-5\n"),
            "none");
  EXPECT_EQ(refusal_of("compute,Relu,f32,Relu(f32[9]) -> f32[9],1,123456789,36,36,0,1e-5\n"
                       "compute,Relu,f32,Relu(f32[9]) -> f32[9],1,1.23457e8,36,36,0,1e-5\n"),
            "none");
}

TEST(Measurements, SayOnWhichDeviceTheyWereMade) {
  EXPECT_EQ(stated_device("# NVIDIA H100 80GB HBM3, driver 580.159.04, torch 2.11.0\nkind,op\n"),
            "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(stated_device("# 8 x NVIDIA H200, driver 580.159.04, nvcc 13.0\r\nkind,op\n"), "NVIDIA H200");
  EXPECT_EQ(stated_device("\xEF\xBB\xBF# Tesla T4, driver 1\n"), "Tesla T4");
  EXPECT_EQ(stated_device("# a comment\nkind,op\n"), "");
  EXPECT_EQ(stated_device(kHeader), "");
  EXPECT_EQ(stated_device(""), "");
}

TEST(Measurements, AreReadAfterAByteOrderMark) {
  const auto read =
      parse_csv("\xEF\xBB\xBF" + kHeader + "message,Send,f32,Send 64 B over 2,2,0,0,0,64,1e-5\n", "times.csv");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].message, Bytes(64));
}

TEST(Measurements, MayStandInAnyOrderOfColumnsWithoutTheOptionalOnes) {
  const auto read = parse_csv(
      "seconds,message_bytes,bytes_written,bytes_read,flops,ranks,signature,dtype,op,kind\r\n"
      "0.5,0,1,2,3,1,s,f32,Add,compute\r\n",
      "times.csv");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].op, "Add");
  EXPECT_EQ(read[0].time, Seconds(0.5));
  EXPECT_EQ(read[0].fastest, Seconds(0.5));
  EXPECT_EQ(read[0].count, 1);
}

TEST(Measurements, AreRefusedWithTheirLineAndWhatWouldBeRight) {
  EXPECT_EQ(message_of(""), "times.csv: holds no measurement; `foreflow execute --measurements` writes some");
  EXPECT_EQ(message_of("kind,opp\n"), "times.csv:1: unknown column \"opp\"; the nearest is \"op\"");
  EXPECT_EQ(message_of("signature,opp\n"), "times.csv:1: unknown column \"opp\"; the nearest is \"op\"");
  EXPECT_EQ(
      message_of("dtype,m,n,k,latency_ms\n"),
      "times.csv:1: unknown column \"m\"; if the file holds published measurements of a device, name it: --device "
      "NAME");
  EXPECT_EQ(message_of("\x1f\x8b\x08,op\n"),
            "times.csv:1: is no CSV; traces of PyTorch's profiler end in .json or .json.gz, and archives are unpacked "
            "first");
  EXPECT_EQ(message_of("kind,op,op\n"), "times.csv:1: the column op stands twice");
  EXPECT_EQ(message_of("kind,op\n"), "times.csv:1: has no column \"dtype\"");
  EXPECT_EQ(message_of(kHeader + "compute,Add\n"), "times.csv:2: has 2 cells; the first line names 10 columns");
  EXPECT_EQ(message_of(kHeader + "compute,Add,f32,s,1,3,2,1,0,fast\n"),
            "times.csv:2: seconds is \"fast\"; write a number that is not negative");
  EXPECT_EQ(message_of(kHeader + "\ncompute,Add,f32,s,1,-3,2,1,0,1\n"),
            "times.csv:3: flops is \"-3\"; write a number that is not negative");
  EXPECT_EQ(message_of(kHeader + "compote,Add,f32,s,1,3,2,1,0,1\n"),
            "times.csv:2: kind is \"compote\"; write compute or message");
  EXPECT_EQ(message_of(kHeader + "compute,Add,f32,\"s,1,3,2,1,0,1\n"),
            "times.csv:2: a quoted cell does not end; close it with \"");
}

TEST(Measurements, AreOfWorkThatTookAWhile) {
  const auto with_time = [](const std::string& seconds) {
    return message_of(kHeader + "compute,Add,f32,s,1,3,2,1,0," + seconds + "\n");
  };
  for (const std::string seconds : {"0", "0.0", "1e-300", "1e20"})
    EXPECT_EQ(with_time(seconds), "times.csv:2: seconds is \"" + seconds + "\"; write a time in seconds above 0");
  for (const std::string seconds : {"-1", "inf", "nan", "1e400", "1us", ""})
    EXPECT_EQ(with_time(seconds), "times.csv:2: seconds is \"" + seconds + "\"; write a number that is not negative");
}

TEST(Measurements, HaveCountsThatAreWholeAndAmountsThatCanBeAdded) {
  EXPECT_EQ(message_of(kHeader + "compute,Add,f32,s,0,3,2,1,0,1\n"),
            "times.csv:2: ranks is \"0\"; write a whole number from 1");
  EXPECT_EQ(message_of(kHeader + "compute,Add,f32,s,1e300,3,2,1,0,1\n"),
            "times.csv:2: ranks is \"1e300\"; write at most 1e30");
  EXPECT_EQ(message_of(kHeader + "compute,Add,f32,s,1.5,3,2,1,0,1\n"),
            "times.csv:2: ranks is \"1.5\"; write a whole number from 1");
  EXPECT_EQ(message_of(kHeader + "compute,Add,f32,s,1,3,1e308,1,0,1\n"),
            "times.csv:2: bytes_read is \"1e308\"; write at most 1e30");
}

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoInTheMiddle) {
  EXPECT_EQ(median({Seconds(3), Seconds(1), Seconds(2)}), Seconds(2));
  EXPECT_EQ(median({Seconds(4), Seconds(1), Seconds(2), Seconds(3)}), Seconds(2.5));
}

}  // namespace
}  // namespace foreflow::cost::measurement_test
