// Progress for people, on stderr: on a terminal a bar, for work that takes longer than a second; elsewhere (the log of
// a batch job) a line every ten seconds.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <string>
#include <thread>

namespace foreflow {

class Progress {
 public:
  // Who draws while one item takes long. With `itself` a thread of its own does, so that work of few long steps is not
  // silent. In the meantime the process forks only as Child does (base/child.h).
  enum class Drawn : bool { by_updates, itself };

  // `already` of `total` items are done at the start; they do not count for the estimate of the remaining time.
  Progress(std::string label, size_t total, size_t already = 0, Drawn drawn = Drawn::by_updates);
  Progress(const Progress&)            = delete;
  Progress& operator=(const Progress&) = delete;
  // Removes the bar from the terminal.
  ~Progress();

  // May be called at any rate; writes at most ten times per second.
  void update(size_t done);

 private:
  void draw_in_background();
  void draw_if_due();
  void draw_until(const std::stop_token& stop);

  std::string label_;
  size_t total_, already_, done_;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point next_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  // shares the members above under fork_mutex (base/fork_mutex.h)
};

// "sweep [#####...............] 25/100, 12 s left". The remaining time assumes that the rest takes as long per item as
// the items done since the start, without the `already` ones. Before the first of them: "sweep [...] 0/100, 4 s so
// far".
std::string progress_line(const std::string& label, size_t done, size_t total, std::chrono::duration<double> elapsed,
                          size_t already = 0);

}  // namespace foreflow
