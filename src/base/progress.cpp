#include "foreflow/base/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace foreflow {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kPause    = std::chrono::milliseconds(100);
constexpr auto kLogPause = std::chrono::seconds(10);
constexpr size_t kWidth  = 20;
constexpr auto kErase    = "\r\x1b[K";  // back to the start of the line; erase to its end

std::string time_left(double seconds) {
  const long whole = std::lround(std::ceil(seconds));
  if (whole < 100) return fmt::format("{} s", whole);
  if (whole < 6000) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace

std::string progress_line(const std::string& label, size_t done, size_t total, std::chrono::duration<double> elapsed,
                          size_t already) {
  const size_t shown = std::min(done, total);
  const size_t bar   = total == 0 ? kWidth : kWidth * shown / total;
  std::string line   = fmt::format("{} [{:#<{}}{:.<{}}] {}/{}", label, "", bar, "", kWidth - bar, shown, total);
  if (shown <= already) return line;
  const double left = elapsed.count() * static_cast<double>(total - shown) / static_cast<double>(shown - already);
  return line + fmt::format(", {} left", time_left(left));
}

Progress::Progress(std::string label, size_t total, size_t already)
    : label_(std::move(label)),
      total_(total),
      already_(already),
      terminal_(::isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()),
      next_(start_ + (terminal_ ? kPatience : kLogPause)) {}

Progress::~Progress() {
  if (drawn_) std::fputs(kErase, stderr);
}

void Progress::update(size_t done) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_                  = now + (terminal_ ? kPause : kLogPause);
  drawn_                 = terminal_;
  const std::string line = progress_line(label_, done, total_, now - start_, already_);
  std::fputs((terminal_ ? kErase + line : line + "\n").c_str(), stderr);
}

}  // namespace foreflow
