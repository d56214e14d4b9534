#include "base/worker.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace foreflow {
namespace {

// False when the other end is closed.
bool read_all(int descriptor, char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t got = ::read(descriptor, bytes, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    count -= static_cast<size_t>(got);
  }
  return true;
}

// Nothing when the other end is closed.
std::optional<std::string> receive_request(int descriptor) {
  std::string length(Length::kBytes, '\0');
  if (!read_all(descriptor, length.data(), length.size())) return std::nullopt;
  std::string request(Length::in(length).value(), '\0');
  if (!read_all(descriptor, request.data(), request.size())) return std::nullopt;
  return request;
}

void live(int requests, int answers, const Worker::Work& work) {
  while (const std::optional<std::string> request = receive_request(requests))
    write_answer(answers, answer_of("worker", [&] { return work(*request); }));
}

// A worker that died takes nothing; its pipes tell, and the signal of a broken one would end this process.
void send_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

}  // namespace

Worker::Ends Worker::connect() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    throw Error("worker", std::string("a worker process cannot be started: ") + std::strerror(errno));
  return {ends[0], ends[1]};
}

Worker::Worker(const Work& work) : Worker(connect(), work) {}

Worker::Worker(Ends requests, const Work& work)
    : requests_(requests.parent), child_(0, "worker", [&](int answers) {
        ::close(requests.parent);
        live(requests.child, answers, work);
      }) {
  ::close(requests.child);
}

Worker::~Worker() { ::close(requests_); }

void Worker::give(const std::string& request) {
  FOREFLOW_CHECK(!busy_, "a worker gets its next request before the answer to the last");
  busy_ = true;
  send_all(requests_, Length::of(request));
  send_all(requests_, request);
}

std::optional<std::string> Worker::take() {
  std::optional<std::string> answer = child_.next();
  if (!answer) return std::nullopt;
  child_.messages().clear();  // should it die later, this was not its last message
  busy_ = false;
  return answer;
}

}  // namespace foreflow
