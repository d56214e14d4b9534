// Who meets at an instance of a communication.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace foreflow::stream {

// Stream indices, in rank order. Copies share them: a program has millions of meetings, but few groups.
class Members {
 public:
  Members() : Members(std::vector<int32_t>()) {}
  Members(std::initializer_list<int32_t> streams) : Members(std::vector<int32_t>(streams)) {}
  Members(std::vector<int32_t> streams)  // NOLINT(google-explicit-constructor): a vector is members
      : streams_(std::make_shared<const std::vector<int32_t>>(std::move(streams))) {}

  operator const std::vector<int32_t>&() const { return *streams_; }  // NOLINT(google-explicit-constructor)
  bool empty() const { return streams_->empty(); }
  size_t size() const { return streams_->size(); }
  int32_t operator[](size_t rank) const { return (*streams_)[rank]; }
  int32_t front() const { return streams_->front(); }
  int32_t back() const { return streams_->back(); }
  auto begin() const { return streams_->begin(); }
  auto end() const { return streams_->end(); }

  friend bool operator==(const Members& a, const Members& b) {
    return a.streams_ == b.streams_ || *a.streams_ == *b.streams_;
  }

 private:
  std::shared_ptr<const std::vector<int32_t>> streams_;
};

}  // namespace foreflow::stream
