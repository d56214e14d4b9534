#include "foreflow/base/process.h"

#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>

#include "base/child.h"

namespace foreflow {
namespace {

using Children = std::vector<std::unique_ptr<Child>>;

std::function<void(int)> answering(const std::string& where, const std::function<std::string()>& work) {
  return [&where, work](int descriptor) { write_answer(descriptor, answer_of(where, work)); };
}

void receive_some(const Children& children) {
  std::vector<Child*> all;
  for (const auto& child : children) all.push_back(child.get());
  receive_any(all);
}

}  // namespace

void receive_any(const std::vector<Child*>& children, int milliseconds) {
  std::vector<pollfd> waiting;
  for (const Child* child : children) child->append_to(waiting);
  if (::poll(waiting.data(), waiting.size(), milliseconds) < 0) {
    FOREFLOW_CHECK(errno == EINTR, std::string("poll failed: ") + std::strerror(errno));
    return;
  }
  for (size_t i = 0; i < children.size(); ++i) children[i]->receive(waiting[2 * i], waiting[2 * i + 1]);
}

std::string run_in_child(const std::string& where, const std::function<std::string()>& work) {
  Children children;
  children.push_back(std::make_unique<Child>(0, where, answering(where, work)));
  while (!children.front()->finished()) receive_some(children);
  return unpack(children.front()->take());
}

std::vector<std::string> map_in_children(size_t count, int jobs, const std::function<std::string(size_t)>& work,
                                         const std::function<void(size_t)>& finished) {
  const size_t most = static_cast<size_t>(std::max(jobs, 1));
  std::vector<std::string> results(count);
  Children children;
  // Children start in index order, so at a failure every earlier item has started. Those are awaited and later ones
  // are dropped: the failure with the lowest index is thrown, whatever the number of jobs.
  std::exception_ptr failure;
  size_t end  = count;
  size_t done = 0;
  for (size_t next = 0; next < end || !children.empty();) {
    for (; next < end && children.size() < most; ++next) {
      const std::string where = fmt::format("item {} of {}", next + 1, count);
      children.push_back(std::make_unique<Child>(next, where, answering(where, [&work, next] { return work(next); })));
    }
    receive_some(children);
    for (const auto& child : children) {
      if (!child->finished() || child->index() >= end) continue;
      try {
        results[child->index()] = unpack(child->take());
        if (finished) finished(++done);
      } catch (...) {
        failure = std::current_exception();
        end     = child->index();
      }
    }
    std::erase_if(children, [end](const auto& child) { return child->finished() || child->index() >= end; });
  }
  if (failure) std::rethrow_exception(failure);
  return results;
}

}  // namespace foreflow
