// What verify() refuses, and the two texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foreflow/base/error.h"
#include "foreflow/stream/timeline.h"
#include "support/machine.h"

namespace foreflow::stream::program_test {
namespace {

using collective::Kind;
using test::ProgramWriter;

// Two devices compute, meet in an all-reduce, and the first sends to the second.
Program small() {
  ProgramWriter writer(2);
  writer.compute(0, Seconds(1e-3)).compute(1, Seconds(2e-3));
  writer.communicate(Kind::all_reduce, {0, 1}, Bytes(4e6)).communicate(Kind::send, {0, 1}, Bytes(1000), Seconds(5e-6));
  return writer.program();
}

void expect_refused(const Program& program, const std::string& why) {
  try {
    verify(program);
    FAIL() << "verify() accepts a program with: " << why;
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(why));
  }
}

TEST(Verify, AcceptsAProgramThatKeepsTheInvariants) { EXPECT_NO_THROW(verify(small())); }

TEST(Verify, RefusesAnItemWithoutItsCompute) {
  Program program                   = small();
  program.streams[0].items[0].event = 2;
  expect_refused(program, "stream D1, item 0: no such compute");
}

TEST(Verify, RefusesAnItemWithoutItsInstance) {
  Program program                      = small();
  program.streams[1].items[2].instance = 2;
  expect_refused(program, "stream D2, item 2: no such instance");
}

TEST(Verify, RefusesAnItemThatNamesAnotherCommunicationThanItsInstance) {
  Program program                   = small();
  program.streams[0].items[1].event = 1;
  expect_refused(program, "stream D1, item 1: the item and its instance name different communications");
}

TEST(Verify, RefusesInstancesOutOfOrderBecauseTheyCouldDeadlock) {
  Program program = small();
  std::swap(program.streams[0].items[1], program.streams[0].items[2]);
  expect_refused(program, "stream D1, item 2: instance numbers do not increase");
}

TEST(Verify, RefusesAMemberThatDoesNotCome) {
  Program program = small();
  program.streams[1].items.pop_back();
  expect_refused(program, "instance 1: its members are not the streams that list it");
}

TEST(Verify, RefusesAMemberThatIsListedTwice) {
  Program program              = small();
  program.instances[0].members = {0, 0};
  expect_refused(program, "instance 0: its members are not the streams that list it");
}

TEST(Verify, RefusesAnAlgorithmThatDoesNotSupportTheRanks) {
  Program program                = small();
  program.communications[0].kind = Kind::broadcast;
  expect_refused(program, "instance 0: the algorithm does not support this number of ranks");
}

TEST(Verify, RefusesANegativeDuration) {
  Program program              = small();
  program.computes[0].duration = Seconds(-1);
  expect_refused(program, "negative duration");
}

TEST(Verify, RefusesAnItemWithoutItsMemoryEffect) {
  Program program                    = small();
  program.streams[0].items[0].memory = 1;
  expect_refused(program, "stream D1, item 0: no such memory effect");
}

TEST(Print, ShowsEverythingOfAProgram) {
  Program program = small();
  program.memory_effects.push_back({Bytes(4096), Bytes(-1024)});
  program.streams[0].items[0].memory = 1;
  program.computes[0].parts          = {{"MatMul", Seconds(0.75e-3)}, {"Relu", Seconds(0.25e-3)}};
  EXPECT_EQ(print(program),
            "device 0: D1 at place 0, holds 0 bytes\n"
            "device 1: D2 at place 1, holds 0 bytes\n"
            "compute 0 Work: 0.001 s, 0 flop\n"
            "  MatMul: 0.00075 s\n"
            "  Relu: 0.00025 s\n"
            "compute 1 Work: 0.002 s, 0 flop\n"
            "communication 0 Do_all_reduce: all_reduce by ring, 4000000 bytes\n"
            "communication 1 Do_send: send by direct, 1000 bytes, always 5e-06 s\n"
            "instance 0: communication 0 of D1 D2\n"
            "instance 1: communication 1 of D1 D2\n"
            "stream D1 on device 0\n"
            "  compute 0 Work, memory peak +4096 net -1024\n"
            "  instance 0 Do_all_reduce\n"
            "  instance 1 Do_send\n"
            "stream D2 on device 1\n"
            "  compute 1 Work\n"
            "  instance 0 Do_all_reduce\n"
            "  instance 1 Do_send\n");
}

TEST(Print, ShowsWhenEverythingHappened) {
  const Record meeting{Seconds(2e-3), Seconds(3e-3)}, sending{Seconds(3e-3), Seconds(3.005e-3)};
  const Timeline timeline{
      Seconds(3.005e-3),
      {{{Seconds(0), Seconds(1e-3)}, meeting, sending}, {{Seconds(0), Seconds(2e-3)}, meeting, sending}},
      {{Bytes(0), Seconds(0)}, {Bytes(4e6), Seconds(0.5e-3)}}};
  EXPECT_EQ(print(small(), timeline),
            "makespan 0.003005 s\n"
            "stream D1\n"
            "  0 0.001 compute 0 Work\n"
            "  0.002 0.003 instance 0 Do_all_reduce\n"
            "  0.003 0.003005 instance 1 Do_send\n"
            "stream D2\n"
            "  0 0.002 compute 1 Work\n"
            "  0.002 0.003 instance 0 Do_all_reduce\n"
            "  0.003 0.003005 instance 1 Do_send\n"
            "link 1: 4000000 bytes, busy 0.0005 s\n");
}

}  // namespace
}  // namespace foreflow::stream::program_test
