#include "cli/search_progress.h"

#include <unistd.h>

#include <cstdio>

namespace foreflow::cli {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kPause    = std::chrono::milliseconds(200);
constexpr auto kLogPause = std::chrono::seconds(10);
constexpr auto kErase    = "\r\x1b[K";  // back to the start of the line; erase to its end

}  // namespace

SearchProgress::SearchProgress()
    : terminal_(::isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()),
      next_(start_ + (terminal_ ? kPatience : kLogPause)) {}

SearchProgress::~SearchProgress() {
  if (drawn_) std::fputs(kErase, stderr);
}

void SearchProgress::show(const search::Status& status) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_                  = now + (terminal_ ? kPause : kLogPause);
  drawn_                 = terminal_;
  const std::string line = search::progress_line(status, now - start_);
  std::fputs((terminal_ ? kErase + line : line + "\n").c_str(), stderr);
}

}  // namespace foreflow::cli
