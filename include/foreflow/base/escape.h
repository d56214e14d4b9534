// How text that came from outside - names in scenarios, programs, models, platforms and tables of measurements, paths,
// words of the command line - is written so that it stays a name in every language of the output. One function for each
// language; every writer uses it. Inputs are any bytes; outputs are valid UTF-8.
//
// A character is unprintable here when a terminal or a viewer obeys it instead of showing it: controls (C0, DEL, C1),
// line and paragraph separators, bidirectional marks, embeddings, overrides and isolates, byte order marks, tags, and
// bytes that are no UTF-8. It is written as the escape that C and Python know: \n \t \r \x1b \u202e \U000e0041, and
// \xff for a byte that is no UTF-8. Names of printable characters stay as they are wherever the language allows it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace foreflow::escape {

// One line for a terminal, a log or an error message: unprintable characters as escapes.
//   "a\nb" -> a\nb       "\x1b[2J" -> \x1b[2J       "naïve" -> naïve
std::string terminal(std::string_view text);

// The same for text of several lines that is already composed: line feeds stay.
std::string terminal_lines(std::string_view text);

// Text or an attribute's value of HTML, SVG and XML: entities for & < > " ' and escapes as in a terminal, since these
// languages forbid most controls.
//   "<b> & 'c'\n" -> &lt;b&gt; &amp; &#39;c&#39;\n
std::string markup(std::string_view text);

// The inside of an XML comment, which may hold no "--" and end with no '-'.
//   "a-->b" -> a- ->b
std::string markup_comment(std::string_view text);

// A field of comma-separated values (RFC 4180), in one line and quoted where it has to be. Where a spreadsheet would
// read it as a formula - it begins with = + - or @, and is neither a number nor a function as `.distir` writes it - a '
// goes before it.
//   "a,\"b\"" -> "a,""b"""       "=1+1" -> '=1+1       "-1.5" -> -1.5       "@forward" -> @forward
enum class Quotes : uint8_t { where_needed, always };
std::string csv(std::string_view text, Quotes quotes = Quotes::where_needed);

// The inside of a quoted string of Graphviz's DOT, an identifier or a label: shown as a terminal shows it.
//   "a\"b\\c" -> a\"b\\c      "a\nb" -> a\\nb
std::string dot(std::string_view text);

// A string of `.distir` text with its quotes, as Scanner::quoted reads it back byte for byte: \" \\ \n, and \xNN for
// each byte of other unprintable characters.
//   "a\"b" -> "a\"b"       "\x1b" -> "\x1b"
std::string quoted(std::string_view text);

// A Python string literal with its quotes, which evaluates to the text; a byte that is no UTF-8 becomes the character
// of its number. It holds no '#', so what looks for comments finds none in it.
//   "it's" -> 'it\'s'       "a\nb" -> 'a\nb'
std::string python(std::string_view text);

// What may follow a '#' in Python: one line, which declares no encoding of the file.
//   "coding: utf-7" -> coding\x3a utf-7
std::string python_comment(std::string_view text);

// A complete JSON document with the characters that JSON allows and terminals obey written as \uXXXX; its meaning stays
// the same.
std::string json(std::string_view document);

// A cell of a Markdown table.
//   "a|b" -> a\|b
std::string markdown(std::string_view text);

// A name for a file: letters, digits and . _ - stay, every other byte becomes '_'. Never empty, "." or "..", and at
// most 200 bytes: longer ones end in a digest of the name. Different names may give one file name; see file_names.
//   "h.0/attn:w" -> h.0_attn_w       "../x" -> .._x
std::string file_name(std::string_view name);

// File names for names that share a folder, a different one for each: a name that file_name changes, and that would
// meet another's file, ends in a digest of the name as well. They depend on the set only. File systems that do not tell
// capital letters from small ones may still mix two up.
std::map<std::string, std::string> file_names(const std::set<std::string>& names);

}  // namespace foreflow::escape
