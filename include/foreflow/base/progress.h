// Progress for people, on stderr: on a terminal a bar, for work that takes longer than a second; elsewhere (the log of
// a batch job) a line every ten seconds.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace foreflow {

class Progress {
 public:
  // `already` of `total` items are done at the start; they do not count for the estimate of the remaining time.
  Progress(std::string label, size_t total, size_t already = 0);
  Progress(const Progress&)            = delete;
  Progress& operator=(const Progress&) = delete;
  // Removes the bar from the terminal.
  ~Progress();

  // May be called at any rate; writes at most ten times per second.
  void update(size_t done);

 private:
  std::string label_;
  size_t total_, already_;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point next_;
};

// "sweep [#####...............] 25/100, 12 s left". The remaining time assumes that the rest takes as long per item as
// the items done since the start, without the `already` ones.
std::string progress_line(const std::string& label, size_t done, size_t total, std::chrono::duration<double> elapsed,
                          size_t already = 0);

}  // namespace foreflow
