// Changed inputs, the same ones on every machine: what a bad disk, a bad tool or a bad neighbour may make of a file.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace foreflow::fuzz {

// One of `seeds` with one to three changes: bits and bytes changed, parts cut out, doubled, moved or taken from another
// seed, names replaced by other names, numbers by those at the limits of their types, words of the dictionary put in.
std::string mutated(const std::vector<std::string>& seeds, const std::vector<std::string>& words,
                    std::mt19937_64& random);

// The words of a libFuzzer dictionary: a quoted string a line, with \", \\ and \xHH.
std::vector<std::string> dictionary_words(std::string_view dictionary);

// The seeds of a form in the source tree, by file name.
std::vector<std::string> read_seeds(const std::string& form);
// Its dictionary there; empty where it has none.
std::vector<std::string> read_dictionary(const std::string& form);

}  // namespace foreflow::fuzz
