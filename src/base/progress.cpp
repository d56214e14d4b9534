#include "foreflow/base/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <new>
#include <system_error>

#include "base/fork_mutex.h"

namespace foreflow {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kPause    = std::chrono::milliseconds(100);
constexpr auto kLogPause = std::chrono::seconds(10);
constexpr auto kRedrawn  = std::chrono::milliseconds(500);  // by the thread
constexpr size_t kWidth  = 20;
constexpr auto kErase    = "\r\x1b[K";  // back to the start of the line; erase to its end

std::string in_words(double seconds) {
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
  if (shown <= already) return line + fmt::format(", {} so far", in_words(std::floor(elapsed.count())));
  const double left = elapsed.count() * static_cast<double>(total - shown) / static_cast<double>(shown - already);
  return line + fmt::format(", {} left", in_words(left));
}

Progress::Progress(std::string label, size_t total, size_t already, Drawn drawn)
    : label_(std::move(label)),
      total_(total),
      already_(already),
      done_(already),
      terminal_(::isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()),
      next_(start_ + (terminal_ ? kPatience : kLogPause)) {
  if (drawn == Drawn::itself) draw_in_background();
}

// Without resources for a thread, updates alone draw.
void Progress::draw_in_background() {
  // Signals are for the thread that works.
  sigset_t all{}, before{};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::jthread([this](const std::stop_token& stop) { draw_until(stop); });
  } catch (const std::system_error&) {
    thread_ = {};
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Progress::~Progress() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  if (drawn_) std::fputs(kErase, stderr);
}

void Progress::update(size_t done) {
  const std::lock_guard lock(fork_mutex());
  done_ = done;
  draw_if_due();
}

void Progress::draw_if_due() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_                  = now + (terminal_ ? kPause : kLogPause);
  drawn_                 = terminal_;
  const std::string line = progress_line(label_, done_, total_, now - start_, already_);
  std::fputs((terminal_ ? kErase + line : line + "\n").c_str(), stderr);
}

void Progress::draw_until(const std::stop_token& stop) {
  std::unique_lock lock(fork_mutex());
  while (!stop.stop_requested()) {
    const auto next = std::max(next_, std::chrono::steady_clock::now() + kRedrawn);
    stopped_.wait_until(lock, stop, next, [] { return false; });
    if (stop.stop_requested()) return;
    try {
      draw_if_due();
    } catch (const std::bad_alloc&) {
      // The work itself says what there is no memory for.
    }
  }
}

}  // namespace foreflow
