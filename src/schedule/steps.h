// Builds the tasks of one device step by step, for schedules whose papers describe them in this way.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "foreflow/schedule/schedule.h"

namespace foreflow::schedule {

// Each call runs the next microbatch of a chunk (0 or 1) in its phase.
class Steps {
 public:
  void forward(int chunk) { run(Phase::forward, chunk, forwards_[at(chunk)]++); }
  void backward(int chunk) { run(Phase::backward, chunk, backwards_[at(chunk)]++); }
  void input_grad(int chunk) {
    waiting_.push_back({Phase::weight_grad, backwards_[at(chunk)], chunk});
    run(Phase::input_grad, chunk, backwards_[at(chunk)]++);
  }
  // A forward and a backward as one cell.
  void forward_and_backward(int forward_chunk, int backward_chunk) {
    forward(forward_chunk);
    backward(backward_chunk);
    tasks_.back().joined = true;
  }
  // The weight gradient that has waited longest, of all or of one chunk.
  void weight_grad();
  void weight_grad(int chunk);

  int forwards(int chunk) const { return forwards_[at(chunk)]; }
  bool has_waiting(int chunk) const;
  const std::vector<Task>& tasks() const { return tasks_; }

 private:
  static size_t at(int chunk) { return static_cast<size_t>(chunk); }
  void run(Phase phase, int chunk, int microbatch) { tasks_.push_back({phase, microbatch, chunk}); }

  std::array<int, 2> forwards_{}, backwards_{};
  std::deque<Task> waiting_;  // weight gradients
  std::vector<Task> tasks_;
};

}  // namespace foreflow::schedule
