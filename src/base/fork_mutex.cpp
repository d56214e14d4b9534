#include "base/fork_mutex.h"

namespace foreflow {

std::mutex& fork_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace foreflow
