#include "simulate/fold/number_instances.h"

#include "foreflow/base/nth.h"

namespace foreflow::simulate {
namespace {

// As numbered by the streams one after another, and the number that each instance gets.
class InstanceNumbers {
 public:
  InstanceNumbers(stream::Program& program, const std::vector<stream::Members>& members)
      : program_(program), members_(members), of_kind_(members.size()), executed_(members.size(), 0) {}

  std::optional<std::vector<int32_t>> run() {
    for (stream::Stream& stream : program_.streams) name(stream);
    of_kind_ = {};
    if (!find_order()) return {};
    const auto ordered = [this](const std::vector<int32_t>& by_name) {
      std::vector<int32_t> result(order_.size());
      for (size_t i = 0; i < order_.size(); ++i) nth(result, order_[i]) = by_name[i];
      return result;
    };
    std::vector<int32_t> kinds = ordered(kinds_);
    communications_            = ordered(communications_);
    for (stream::Stream& stream : program_.streams) {
      for (stream::Item& item : stream.items) {
        if (item.instance >= 0) item.instance = nth(order_, item.instance);
      }
    }
    program_.instances.clear();
    program_.instances.reserve(kinds.size());
    for (size_t i = 0; i < kinds.size(); ++i)
      program_.instances.push_back({communications_[i], nth(members_, kinds[i])});
    return kinds;
  }

 private:
  void name(stream::Stream& stream) {
    for (stream::Item& item : stream.items) {
      if (item.instance < 0) continue;
      const auto kind               = static_cast<size_t>(item.instance);
      std::vector<int32_t>& of_kind = of_kind_[kind];
      const size_t n                = executed_[kind]++;
      if (n == 0) seen_.push_back(kind);
      if (n == of_kind.size()) {
        of_kind.push_back(static_cast<int32_t>(kinds_.size()));
        kinds_.push_back(static_cast<int32_t>(kind));
        communications_.push_back(item.event);
      }
      item.instance = of_kind[n];
    }
    for (const size_t kind : seen_) executed_[kind] = 0;
    seen_.clear();
  }

  // In which instances can follow each other: each comes when all its members have come to it.
  bool find_order() {
    order_.assign(kinds_.size(), -1);
    std::vector<int32_t> arrived(order_.size(), 0);
    std::vector<size_t> next(program_.streams.size(), 0);
    std::vector<int32_t> ready;
    for (size_t s = program_.streams.size(); s-- > 0;) ready.push_back(static_cast<int32_t>(s));
    int32_t count = 0;
    while (!ready.empty()) {
      const auto stream = static_cast<size_t>(ready.back());
      ready.pop_back();
      const auto& items = program_.streams[stream].items;
      while (next[stream] < items.size() && items[next[stream]].instance < 0) ++next[stream];
      if (next[stream] == items.size()) continue;
      const auto instance = static_cast<size_t>(items[next[stream]].instance);
      const auto& members = nth(members_, kinds_[instance]);
      if (static_cast<size_t>(++arrived[instance]) < members.size()) continue;
      order_[instance] = count++;
      for (size_t i = members.size(); i-- > 0;) {
        ++nth(next, members[i]);
        ready.push_back(members[i]);
      }
    }
    return static_cast<size_t>(count) == order_.size();
  }

  stream::Program& program_;
  const std::vector<stream::Members>& members_;
  std::vector<std::vector<int32_t>> of_kind_;  // instances by kind
  std::vector<size_t> executed_, seen_;        // by kind: how often the stream has; the kinds of which it has some
  std::vector<int32_t> kinds_;                 // by instance
  std::vector<int32_t> communications_;        // by instance
  std::vector<int32_t> order_;                 // by instance: the number that it gets
};

}  // namespace

std::optional<std::vector<int32_t>> number_instances(stream::Program& program,
                                                     const std::vector<stream::Members>& members) {
  return InstanceNumbers(program, members).run();
}

}  // namespace foreflow::simulate
