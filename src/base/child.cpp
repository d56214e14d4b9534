#include "base/child.h"

#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <utility>

#include "base/fork_mutex.h"
#include "foreflow/base/memory.h"
#include "foreflow/base/text.h"

namespace foreflow {
namespace {

// An answer is a payload and one of these bytes; an Error's payload is its `where`, a zero byte and its problem.
constexpr char kDone     = 'd';
constexpr char kDied     = 'k';  // ChildDied
constexpr char kMemory   = 'm';  // MemoryError
constexpr char kError    = 'e';
constexpr char kPart     = 'p';  // PartError
constexpr char kInternal = 'i';

std::string last_line(std::string_view text) {
  const std::string_view trimmed = trim(text);
  return std::string(trimmed.substr(trimmed.rfind('\n') + 1));  // npos + 1 == 0
}

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) ::_exit(1);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

void close_all(std::initializer_list<int> descriptors) {
  for (const int descriptor : descriptors) ::close(descriptor);
}

[[noreturn]] void fail_to_start(const std::string& where) {
  throw Error(where, std::string("a worker process cannot be started: ") + std::strerror(errno));
}

}  // namespace

std::string answer_of(const std::string& where, const std::function<std::string()>& work) {
  const auto answer = [](char kind, std::string payload) {
    payload.push_back(kind);
    return payload;
  };
  try {
    return answer(kDone, work());
  } catch (const ChildDied& error) {
    return answer(kDied, error.where() + '\0' + error.problem());
  } catch (const MemoryError& error) {
    return answer(kMemory, error.where() + '\0' + error.problem());
  } catch (const PartError& error) {
    return answer(kPart, error.where() + '\0' + error.problem());
  } catch (const Error& error) {
    return answer(kError, error.where() + '\0' + error.problem());
  } catch (const std::bad_alloc&) {
    return answer(kDied, where + '\0' + "ran out of memory");
  } catch (const std::exception& error) {
    return answer(kInternal, error.what());
  } catch (...) {
    return answer(kInternal, "an exception of an unknown type left the work");
  }
}

std::string unpack(std::string answer) {
  FOREFLOW_CHECK(!answer.empty(), "an answer without its kind");
  const char kind = answer.back();
  answer.pop_back();
  if (kind == kDone) return answer;
  if (kind == kInternal) throw InternalError(answer);
  const size_t border = answer.find('\0');
  if (kind == kDied) throw ChildDied(answer.substr(0, border), answer.substr(border + 1));
  if (kind == kMemory) throw MemoryError(answer.substr(border + 1));
  if (kind == kPart) throw PartError(answer.substr(0, border), answer.substr(border + 1));
  throw Error(answer.substr(0, border), answer.substr(border + 1));
}

std::string Length::of(std::string_view bytes) {
  const size_t size = bytes.size();
  std::string length(kBytes, '\0');
  std::memcpy(length.data(), &size, kBytes);
  return length;
}

std::optional<size_t> Length::in(std::string_view bytes) {
  if (bytes.size() < kBytes) return std::nullopt;
  size_t size = 0;
  std::memcpy(&size, bytes.data(), kBytes);
  return size;
}

void write_answer(int descriptor, std::string_view answer) {
  write_all(descriptor, Length::of(answer));
  write_all(descriptor, answer);
}

void Pipe::read_some() {
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
  if (count < 0 && errno == EINTR) return;
  if (count <= 0) return close();
  bytes.append(buffer.data(), static_cast<size_t>(count));
}

void Pipe::close() {
  if (open()) ::close(std::exchange(descriptor, -1));
}

Child::Child(size_t index, std::string where, const std::function<void(int)>& body)
    : index_(index), where_(std::move(where)) {
  int answer[2];
  int messages[2];
  if (::pipe(answer) != 0) fail_to_start(where_);
  if (::pipe(messages) != 0) {
    close_all({answer[0], answer[1]});
    fail_to_start(where_);
  }
  std::cout.flush();
  std::fflush(nullptr);  // or the child would write the parent's buffers once more
  const pid_t parent = ::getpid();
  {
    const std::lock_guard no_other_thread_prints(fork_mutex());
    pid_ = ::fork();
  }
  if (pid_ < 0) {
    close_all({answer[0], answer[1], messages[0], messages[1]});
    fail_to_start(where_);
  }
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);  // it ended before the signal was asked for
    close_all({answer[0], messages[0]});
    ::dup2(messages[1], STDERR_FILENO);
    body(answer[1]);
    ::_exit(0);  // no destructors, no atexit: they are the parent's
  }
  close_all({answer[1], messages[1]});
  answer_.descriptor   = answer[0];
  messages_.descriptor = messages[0];
}

Child::~Child() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    wait();
  }
  answer_.close();
  messages_.close();
}

void Child::append_to(std::vector<pollfd>& waiting) const {
  waiting.push_back({answer_.descriptor, POLLIN, 0});
  waiting.push_back({messages_.descriptor, POLLIN, 0});
}

void Child::receive(const pollfd& answer, const pollfd& messages) {
  if (answer.revents != 0) answer_.read_some();
  if (const auto length = Length::in(answer_.bytes)) answer_.bytes.reserve(Length::kBytes + *length);
  if (messages.revents != 0) messages_.read_some();
}

std::optional<std::string> Child::next() {
  std::string& bytes = answer_.bytes;
  const auto length  = Length::in(bytes);
  if (!length || bytes.size() < Length::kBytes + *length) return std::nullopt;
  std::string later = bytes.substr(Length::kBytes + *length);
  bytes.resize(Length::kBytes + *length);
  bytes.erase(0, Length::kBytes);  // in place: answers may be large
  return std::exchange(bytes, std::move(later));
}

std::string Child::take() {
  FOREFLOW_CHECK(finished() && pid_ > 0, "the answer of a running child, or taken twice");
  const int status                  = wait();
  std::optional<std::string> answer = next();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !answer) throw death(status);
  return *std::move(answer);
}

ChildDied Child::died() {
  FOREFLOW_CHECK(finished() && pid_ > 0, "the death of a running child");
  return death(wait());
}

int Child::wait() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

ChildDied Child::death(int status) const {
  const std::string how =
      WIFSIGNALED(status) ? fmt::format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                          : fmt::format("ended without an answer (exit code {})", WEXITSTATUS(status));
  const std::string line = last_line(messages_.bytes);
  return {where_, "the worker process " + how + (line.empty() ? "" : "; its last message: " + line)};
}

}  // namespace foreflow
