// Every communication op between processes, here threads with mailboxes: what arrives is what the reference kernel
// gives.
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <queue>
#include <thread>

#include "execute/meet.h"
#include "execute/values.h"
#include "foreflow/base/nth.h"
#include "foreflow/interpret/types.h"
#include "property/op_samples.h"

namespace foreflow::execute::meetings_test {
namespace {

// Messages between threads, in order for each pair.
class Mailboxes {
 public:
  Exchange of(int self) {
    return [this, self](std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) {
      for (const Outgoing& message : outgoing) post({self, message.rank}, message.bytes);
      for (const Incoming& message : incoming) take({message.rank, self}, message.bytes);
    };
  }
  bool empty() const {
    for (const auto& [pair, box] : boxes_) {
      if (!box.empty()) return false;
    }
    return true;
  }

 private:
  using Pair = std::pair<int, int>;

  void post(const Pair& pair, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    boxes_[pair].emplace(bytes.begin(), bytes.end());
    news_.notify_all();
  }
  void take(const Pair& pair, std::span<std::byte> bytes) {
    std::unique_lock lock(mutex_);
    news_.wait(lock, [&] { return !boxes_[pair].empty(); });
    const std::vector<std::byte> message = std::move(boxes_[pair].front());
    boxes_[pair].pop();
    ASSERT_EQ(message.size(), bytes.size());
    std::copy(message.begin(), message.end(), bytes.begin());
  }

  std::mutex mutex_;
  std::condition_variable news_;
  std::map<Pair, std::queue<std::vector<std::byte>>> boxes_;
};

class EveryCommunication : public testing::TestWithParam<std::string> {};

CommunicationRun communication_of(const ir::OpDef& def, const std::vector<ir::Type>& inputs,
                                  const std::vector<ir::Type>& outputs) {
  CommunicationRun communication{0, std::string(def.name), ir::moved(inputs[0], {}), ir::moved(outputs[0], {}), {}, {}};
  for (const ir::Type& type : inputs) communication.from.push_back(ir::device_of(type).index);
  for (const ir::Type& type : outputs) communication.to.push_back(ir::device_of(type).index);
  return communication;
}

TEST_P(EveryCommunication, GivesEachProcessWhatTheReferenceKernelGives) {
  const ir::OpDef& def = ops::table().get(GetParam(), "test");
  std::mt19937_64 random(1);
  for (const ir::OpDef::Sample& sample : def.samples()) {
    const auto operands = test::random_operands(sample, random);
    const test::Application application(def, sample.attributes, operands, sample.outputs);
    const auto expected = application.eval();
    const auto outputs  = def.infer(application.call());
    ir::Op op;
    op.def = &def, op.attributes = std::make_shared<const ir::Attributes>(sample.attributes);
    op.result_count                      = static_cast<uint32_t>(sample.outputs);
    const CommunicationRun communication = communication_of(def, sample.inputs, outputs);
    Mailboxes mailboxes;
    std::vector<std::vector<ir::Array>> results(static_cast<size_t>(communication.members().back()) + 1);
    std::vector<std::thread> threads;
    for (const int rank : communication.members()) {
      threads.emplace_back([&, rank] {
        std::vector<const ir::Array*> mine;
        for (size_t i = 0; i < operands.size(); ++i)
          mine.push_back(communication.from[i] == rank ? &operands[i].array : nullptr);
        const Exchange exchange = mailboxes.of(rank);
        rendezvous(communication, rank, exchange);
        nth(results, rank) = meet(op, communication, rank, mine, exchange);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(to_bytes(nth(results, communication.to[i]).at(i)), to_bytes(expected[i])) << "result " << i;
    }
    EXPECT_TRUE(mailboxes.empty()) << "a message that nobody took";
  }
}

std::vector<std::string> communication_ops() {
  std::vector<std::string> names;
  for (const ir::OpDef& def : ops::table()) {
    if (def.role == ir::Role::communication) names.emplace_back(def.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Ops, EveryCommunication, testing::ValuesIn(communication_ops()), test::op_test_name);

}  // namespace
}  // namespace foreflow::execute::meetings_test
