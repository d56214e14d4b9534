// Work in child processes: the only clean boundary around a library that aborts, and the only way to run
// several simulations of a library that allows one per process.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "foreflow/base/error.h"

namespace foreflow {

// A child process ended without an answer: it was killed, ran out of memory, or a library called abort. It says how,
// with the last line that the child wrote to stderr. The input may be right.
class ChildDied : public Error {
 public:
  using Error::Error;
};

// Runs `work` in a forked child and returns the bytes it returned. An Error thrown in the child is thrown here again;
// a child that dies otherwise becomes ChildDied(where, ...).
std::string run_in_child(const std::string& where, const std::function<std::string()>& work);

// work(0) .. work(count-1) on at most `jobs` children; results in index order, so the same for any number of jobs.
// `finished` (may be empty) is called in the parent with the number of finished items.
std::vector<std::string> map_in_children(size_t count, int jobs, const std::function<std::string(size_t)>& work,
                                         const std::function<void(size_t)>& finished = {});

// Items for workers that live on.
struct Service {
  std::function<std::string(size_t item)> work;              // in a worker
  std::function<std::optional<size_t>(size_t worker)> next;  // what the worker is to do next; nothing: no more
  std::function<void(size_t item, const std::string& answer)> finished;  // as soon as it is
  std::function<void(size_t item, const std::exception& why)> failed;    // `work` threw, or its worker died
};

// Runs `work` in forked workers 0 .. workers-1, one item after another in each, so that what it keeps in memory between
// items (a cache) is kept, and what this process has in memory is shared by all. Every other function is called in this
// process, in the order of events. After a death another worker takes the place of the dead one.
void serve(size_t workers, const Service& service);

}  // namespace foreflow
