// One script a shell. Every word stands in single quotes of the shell, so that none is code.
#include <fmt/core.h>

#include "cli/completion.h"
#include "foreflow/base/text.h"

namespace foreflow::cli {
namespace {

// In bash and zsh nothing is special between single quotes, and a single quote cannot be written there.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// In fish a backslash is special there.
std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += (c == '\'' || c == '\\' ? "\\" : "") + std::string(1, c);
  return result + "'";
}

std::string command_names(const std::vector<CompletedCommand>& commands) {
  std::string names = "--help --version";
  for (const CompletedCommand& command : commands) names += " " + command.name;
  return names;
}

std::string option_names(const CompletedCommand& command) {
  std::vector<std::string> names;
  for (const CompletedOption& option : command.options) names.push_back(option.name);
  return join(names, " ");
}

// A case for each option with a value, one for each command's options, one for each command's first word: `words`
// writes what happens with a list of words, `files` is what happens where names of files are wanted.
template <class Words>
std::string option_cases(const std::vector<CompletedCommand>& commands, const Words& words, const std::string& files) {
  std::string text;
  for (const CompletedCommand& command : commands) {
    for (const CompletedOption& option : command.options) {
      if (!option.takes_value) continue;
      const std::string then = option.values.empty() ? files : words(join(option.values, " "));
      text += fmt::format("    {}) {}; return;;\n", quoted(command.name + " " + option.name), then);
    }
  }
  return text;
}

template <class Words>
std::string command_cases(const std::vector<CompletedCommand>& commands, const Words& words,
                          std::string (*list)(const CompletedCommand&)) {
  std::string text;
  for (const CompletedCommand& command : commands) {
    if (!list(command).empty()) text += fmt::format("      {}) {};;\n", command.name, words(list(command)));
  }
  return text;
}

std::string first_words(const CompletedCommand& command) { return join(command.values, " "); }

}  // namespace

// Without an answer bash completes names of files (-o default). A setting goes on after its '=', so no space follows.
std::string bash_completion(const std::vector<CompletedCommand>& commands) {
  const auto words = [](const std::string& list) { return "words=" + quoted(list); };
  std::string text = R"(# Completion of foreflow for bash; written by `foreflow completion bash`.
_foreflow() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} words=
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W )";
  text += quoted(command_names(commands)) + R"( -- "$current"))
    return
  fi
  _foreflow_words
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
_foreflow_words() {
  case "$command $previous" in
)";
  text += option_cases(commands, words, ":");
  text += "  esac\n  if [[ $current == -* ]]; then\n    case $command in\n";
  text += command_cases(commands, words, option_names);
  text += "    esac\n  else\n    case $command in\n";
  text += command_cases(commands, words, first_words);
  return text + "    esac\n  fi\n}\ncomplete -o default -F _foreflow foreflow\n";
}

std::string zsh_completion(const std::vector<CompletedCommand>& commands) {
  const auto words = [](const std::string& list) { return "compadd -- " + list; };
  std::string text = R"(#compdef foreflow
# Completion of foreflow for zsh; written by `foreflow completion zsh`.
_foreflow() {
  local command=$words[2] previous=$words[CURRENT-1]
  if (( CURRENT == 2 )); then
    local -a commands=(
)";
  for (const CompletedCommand& command : commands) text += "      " + quoted(command.name + ":" + command.doc) + "\n";
  text += "    )\n    _describe command commands\n    return\n  fi\n  case \"$command $previous\" in\n";
  text += option_cases(commands, words, "_files");
  text += "  esac\n  if [[ $words[CURRENT] == -* ]]; then\n    case $command in\n";
  text += command_cases(commands, words, option_names);
  text += "    esac\n  else\n    case $command in\n";
  text += command_cases(commands, words, first_words);
  text += "      *) _files;;\n    esac\n  fi\n}\n";
  return text + "if [[ $funcstack[1] == _foreflow ]]; then _foreflow \"$@\"; else compdef _foreflow foreflow; fi\n";
}

std::string fish_completion(const std::vector<CompletedCommand>& commands) {
  std::string text = "# Completion of foreflow for fish; written by `foreflow completion fish`.\n";
  for (const CompletedCommand& command : commands) {
    text += fmt::format("complete -c foreflow -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                        fish_quoted(command.doc));
    const std::string seen = fmt::format("complete -c foreflow -n '__fish_seen_subcommand_from {}'", command.name);
    if (!command.values.empty()) text += fmt::format("{} -f -a {}\n", seen, fish_quoted(join(command.values, " ")));
    for (const CompletedOption& option : command.options) {
      text += fmt::format("{} -l {} -d {}", seen, option.name.substr(2), fish_quoted(option.doc));
      if (option.takes_value)
        text += option.values.empty() ? " -r -F" : " -x -a " + fish_quoted(join(option.values, " "));
      text += "\n";
    }
  }
  return text;
}

}  // namespace foreflow::cli
