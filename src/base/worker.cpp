#include "base/worker.h"

#include <fmt/core.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace foreflow {
namespace {

using Number = std::array<char, sizeof(size_t)>;

Number bytes_of(size_t number) {
  Number bytes;
  std::memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}

size_t number_in(const char* bytes) {
  size_t number = 0;
  std::memcpy(&number, bytes, sizeof(number));
  return number;
}

// Nothing when the other end is closed. Eight bytes are written and arrive as one piece.
std::optional<size_t> receive_item(int descriptor) {
  Number bytes;
  ssize_t count = 0;
  do count = ::read(descriptor, bytes.data(), bytes.size());
  while (count < 0 && errno == EINTR);
  if (count != static_cast<ssize_t>(bytes.size())) return std::nullopt;
  return number_in(bytes.data());
}

// The life of a worker: an answer is its length and its bytes.
void live(int items, int answers, const std::function<std::string(size_t)>& work) {
  while (const std::optional<size_t> item = receive_item(items)) {
    const std::string answer = answer_of(fmt::format("item {}", *item + 1), [&] { return work(*item); });
    const Number length      = bytes_of(answer.size());
    write_all(answers, {length.data(), length.size()});
    write_all(answers, answer);
  }
}

}  // namespace

Worker::Ends Worker::connect() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    throw Error("worker", std::string("a worker process cannot be started: ") + std::strerror(errno));
  return {ends[0], ends[1]};
}

Worker::Worker(const std::function<std::string(size_t)>& work) : Worker(connect(), work) {}

Worker::Worker(Ends items, const std::function<std::string(size_t)>& work)
    : items_(items.parent), child_(0, "worker", [&](int answers) {
        ::close(items.parent);
        live(items.child, answers, work);
      }) {
  ::close(items.child);
}

Worker::~Worker() { ::close(items_); }

void Worker::give(size_t item) {
  FOREFLOW_CHECK(!item_, "a worker gets its next item before the answer to the last");
  item_              = item;
  const Number bytes = bytes_of(item);
  // A worker that died takes nothing; its pipes tell, and the signal of a broken one would end this process.
  (void)::send(items_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

std::optional<std::string> Worker::take() {
  std::string& bytes = child_.received();
  if (bytes.size() < sizeof(size_t)) return std::nullopt;
  const size_t end = sizeof(size_t) + number_in(bytes.data());
  if (bytes.size() < end) return std::nullopt;
  std::string answer = bytes.substr(sizeof(size_t), end - sizeof(size_t));
  bytes.erase(0, end);
  child_.messages().clear();  // should it die later, this was not its last message
  item_.reset();
  return answer;
}

}  // namespace foreflow
