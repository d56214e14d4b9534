#include "store/claim.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace foreflow::store {

Claim::Claim(const std::string& path) {
  if (path.empty()) return;
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

Claim::~Claim() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool Claim::take() const {
  using namespace std::chrono_literals;
  if (descriptor_ < 0) return true;
  for (auto left = 1000ms;; left -= 20ms) {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK) return true;  // a file system without locks
    if (left <= 0ms) return false;
    std::this_thread::sleep_for(20ms);
  }
}

}  // namespace foreflow::store
