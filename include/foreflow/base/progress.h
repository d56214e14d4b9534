// A progress bar for people: on stderr, only on a terminal, only for work that takes longer than a second.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace foreflow {

class Progress {
 public:
  Progress(std::string label, size_t total);
  Progress(const Progress&)            = delete;
  Progress& operator=(const Progress&) = delete;
  // Removes the bar from the terminal.
  ~Progress();

  // Call as often as you like: it draws ten times a second at most.
  void update(size_t done);

 private:
  std::string label_;
  size_t total_;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point next_;
};

// "sweep [#####...............] 25/100, 12 s left". The time left supposes that the rest goes as fast as the part done.
std::string progress_line(const std::string& label, size_t done, size_t total, std::chrono::duration<double> elapsed);

}  // namespace foreflow
