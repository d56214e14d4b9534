// The members of an instance of a communication.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace foreflow::stream {

// Stream indices, in rank order. Copies share them: a program has millions of instances, but few groups.
class Members {
 public:
  Members() : Members(std::vector<int32_t>()) {}
  Members(std::initializer_list<int32_t> streams) : Members(std::vector<int32_t>(streams)) {}
  Members(std::vector<int32_t> streams)  // NOLINT(google-explicit-constructor): a vector is members
      : Members(std::move(streams), 0, 1) {}
  // In a folded program: `streams` represent `ranks` members, and the instance represents `executions` equal instances.
  Members(std::vector<int32_t> streams, int32_t ranks, int64_t executions)
      : group_(std::make_shared<const Group>(Group{std::move(streams), ranks, executions})) {}

  operator const std::vector<int32_t>&() const { return group_->streams; }  // NOLINT(google-explicit-constructor)
  bool empty() const { return streams().empty(); }
  size_t size() const { return streams().size(); }
  int32_t operator[](size_t rank) const { return streams()[rank]; }
  int32_t front() const { return streams().front(); }
  int32_t back() const { return streams().back(); }
  auto begin() const { return streams().begin(); }
  auto end() const { return streams().end(); }

  // The number of participants: size(), or more in a folded program, where a stream may represent several.
  size_t ranks() const { return group_->ranks > 0 ? static_cast<size_t>(group_->ranks) : size(); }
  // The number of equal instances that this one represents; 1 unless the program is folded.
  int64_t executions() const { return group_->executions; }

  friend bool operator==(const Members& a, const Members& b) {
    return a.group_ == b.group_ ||
           (a.streams() == b.streams() && a.ranks() == b.ranks() && a.executions() == b.executions());
  }

 private:
  struct Group {
    std::vector<int32_t> streams;
    int32_t ranks;  // 0: as many as streams
    int64_t executions;
  };
  const std::vector<int32_t>& streams() const { return group_->streams; }

  std::shared_ptr<const Group> group_;
};

}  // namespace foreflow::stream
