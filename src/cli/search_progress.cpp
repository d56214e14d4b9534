#include "cli/search_progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

namespace foreflow::cli {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kPause    = std::chrono::milliseconds(200);
constexpr auto kLogPause = std::chrono::seconds(10);
constexpr auto kErase    = "\r\x1b[K";  // back to the start of the line; erase to its end

}  // namespace

std::string progress_line(const search::Status& status, std::chrono::duration<double> elapsed) {
  std::string line =
      fmt::format("search: {} of {} strategies decided, {} predicted ({:.2g} a second)", status.decided, status.points,
                  status.evaluated, static_cast<double>(status.evaluated) / std::max(elapsed.count(), 1e-3));
  if (status.best > 0) line += fmt::format(", best {:.5g} samples/s", status.best);
  if (status.gap) line += fmt::format(", at most {:.2g} % better possible", 100 * *status.gap);
  return line;
}

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
  const std::string line = progress_line(status, now - start_);
  std::fputs((terminal_ ? kErase + line : line + "\n").c_str(), stderr);
}

}  // namespace foreflow::cli
