// Escaping of text from outside (names in scenarios, programs, models, platforms and measurements, paths, command line
// arguments), so that it remains plain text in every output language. There is one function for each language, and
// every writer uses it. Inputs are arbitrary bytes; outputs are valid UTF-8.
//
// A character is unprintable when a terminal or viewer would interpret it instead of showing it:
//   1. controls (C0, DEL, C1);
//   2. line and paragraph separators;
//   3. bidirectional marks, embeddings, overrides and isolates;
//   4. byte order marks and tags;
//   5. bytes that are not UTF-8.
// It is written as an escape of C and Python: \n \t \r \x1b \u202e \U000e0041, and \xff for a byte that is not UTF-8.
// Printable characters stay unchanged wherever the language allows it.
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

// As `terminal`, for text of several lines: line feeds stay.
std::string terminal_lines(std::string_view text);

// Text or an attribute's value of HTML, SVG and XML: entities for & < > " ' and otherwise escapes as for a terminal,
// because these languages forbid most controls.
//   "<b> & 'c'\n" -> &lt;b&gt; &amp; &#39;c&#39;\n
std::string markup(std::string_view text);

// The inside of an XML comment, which must not contain "--" or end with '-'.
//   "a-->b" -> a- ->b
std::string markup_comment(std::string_view text);

// A field of comma-separated values (RFC 4180), on one line, quoted where necessary. A field that a spreadsheet would
// read as a formula gets a leading ': one that begins with = + - or @ and is no number.
//   "a,\"b\"" -> "a,""b"""       "=1+1" -> '=1+1       "-1.5" -> -1.5       "@forward" -> '@forward
enum class Quotes : uint8_t { where_needed, always };
std::string csv(std::string_view text, Quotes quotes = Quotes::where_needed);

// As `csv`, for a field that names what runs, an op or a function of `.distir`: a function's name stays as it is.
//   "@forward" -> @forward       "@SUM(1)" -> '@SUM(1)
std::string csv_op(std::string_view name);

// The inside of a quoted string of Graphviz's DOT, an identifier or a label: escaped so that it displays as in a
// terminal.
//   "a\"b\\c" -> a\"b\\c      "a\nb" -> a\\nb
std::string dot(std::string_view text);

// A string of `.distir` text, with its quotes; Scanner::quoted reads back the same bytes. Escapes are \" \\ \n, and
// \xNN for each byte of another unprintable character.
//   "a\"b" -> "a\"b"       "\x1b" -> "\x1b"
std::string quoted(std::string_view text);

// A Python string literal, with its quotes, that evaluates to the text. A byte that is not UTF-8 becomes the character
// with its number. It never contains '#', so tools that search for comments find none.
//   "it's" -> 'it\'s'       "a\nb" -> 'a\nb'
std::string python(std::string_view text);

// The text of a Python comment after '#': a single line that cannot be read as an encoding declaration.
//   "coding: utf-7" -> coding\x3a utf-7
std::string python_comment(std::string_view text);

// A complete JSON document in which unprintable characters that JSON allows are written as \uXXXX; its value stays the
// same.
std::string json(std::string_view document);

// A cell of a Markdown table.
//   "a|b" -> a\|b
std::string markdown(std::string_view text);

// A file name made from `name`: letters, digits and . _ - stay, every other byte becomes '_'. Never empty, "." or "..".
// At most 200 bytes; longer names are cut and end in a digest. Different names may give the same file name; see
// file_names.
//   "h.0/attn:w" -> h.0_attn_w       "../x" -> .._x
std::string file_name(std::string_view name);

// Distinct file names for names that share a folder. Where file_name gives two names the same result, those that it
// changed get a digest as well. The result depends only on the set. On file systems that ignore case two of them may
// still collide.
std::map<std::string, std::string> file_names(const std::set<std::string>& names);

}  // namespace foreflow::escape
