// Work in child processes: the only clean boundary around a library that aborts, and the only way to run
// several simulations of a library that allows one per process.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace foreflow {

// Runs `work` in a forked child and returns the bytes it returned. An Error thrown in the child is thrown here again;
// a child that dies otherwise becomes Error(where, ...) with the last line that it wrote to stderr.
std::string run_in_child(const std::string& where, const std::function<std::string()>& work);

// work(0) .. work(count-1) on at most `jobs` children; results in index order, so the same for any number of jobs.
// `finished` (may be empty) is called in the parent with the number of finished items.
std::vector<std::string> map_in_children(size_t count, int jobs, const std::function<std::string(size_t)>& work,
                                         const std::function<void(size_t)>& finished = {});

}  // namespace foreflow
