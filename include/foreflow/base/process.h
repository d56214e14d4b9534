// Work in child processes: the only safe way to call a library that aborts on errors, or that allows a single
// simulation per process.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "foreflow/base/error.h"

namespace foreflow {

// A child process ended without an answer: it was killed, ran out of memory, or a library called abort. The message
// says how, with the last line that the child wrote to stderr. The input is not necessarily wrong.
class ChildDied : public Error {
 public:
  using Error::Error;
};

// Runs `work` in a forked child and returns the bytes it returned. An Error thrown in the child is rethrown here; a
// child that dies otherwise gives ChildDied(where, ...).
std::string run_in_child(const std::string& where, const std::function<std::string()>& work);

// work(0) .. work(count-1) on at most `jobs` children; results in index order, so the same for any number of jobs.
// `finished` (may be empty) is called in the parent with the number of finished items.
std::vector<std::string> map_in_children(size_t count, int jobs, const std::function<std::string(size_t)>& work,
                                         const std::function<void(size_t)>& finished = {});

// Work for long-lived worker processes.
struct Service {
  std::function<std::string(size_t item)> work;              // called in a worker
  std::function<std::optional<size_t>(size_t worker)> next;  // the next item for this worker; nothing: no more items
  std::function<void(size_t item, const std::string& answer)> finished;  // called for each finished item
  std::function<void(size_t item, const std::exception& why)> failed;    // `work` threw, or its worker died
};

// Runs `work` in forked workers 0 .. workers-1, one item at a time in each. Memory of a worker, such as a cache, lasts
// from item to item, and all workers share the memory that this process has at the fork. The other functions are called
// in this process, in the order of events. A worker that dies is replaced.
void serve(size_t workers, const Service& service);

}  // namespace foreflow
