#include <algorithm>

#include <executorch/extension/llm/tokenizer/division.h>

namespace tokenizers {
namespace {

struct Piece {
  Range range;
  bool is_delimiter;
};

std::vector<Piece> pieces_of(size_t size, const std::vector<Range>& matches, bool invert) {
  std::vector<Piece> pieces;
  size_t at = 0;
  for (const Range& match : matches) {
    if (at < match.begin) {
      pieces.push_back({{at, match.begin}, invert});
    }
    pieces.push_back({match, !invert});
    at = match.end;
  }
  if (at < size) {
    pieces.push_back({{at, size}, invert});
  }
  return pieces;
}

/// Each delimiter becomes part of what stands before it; of several in a row the first.
void merge_with_previous(std::vector<Piece>& pieces) {
  std::vector<Piece> merged;
  bool previous = false;
  for (const Piece& piece : pieces) {
    if (piece.is_delimiter && !previous && !merged.empty()) {
      merged.back().range.end = piece.range.end;
    } else {
      merged.push_back(piece);
    }
    previous = piece.is_delimiter;
  }
  pieces = std::move(merged);
}

void merge_with_next(std::vector<Piece>& pieces) {
  std::vector<Piece> merged;
  bool previous = false;
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
    if (piece->is_delimiter && !previous && !merged.empty()) {
      merged.back().range.begin = piece->range.begin;
    } else {
      merged.push_back(*piece);
    }
    previous = piece->is_delimiter;
  }
  std::reverse(merged.begin(), merged.end());
  pieces = std::move(merged);
}

void join_alike(std::vector<Piece>& pieces) {
  std::vector<Piece> joined;
  for (const Piece& piece : pieces) {
    if (!joined.empty() && joined.back().is_delimiter == piece.is_delimiter) {
      joined.back().range.end = piece.range.end;
    } else {
      joined.push_back(piece);
    }
  }
  pieces = std::move(joined);
}

}  // namespace

bool read_delimiter(std::string_view name, Delimiter& delimiter) {
  constexpr std::string_view kNames[] = {"Removed", "Isolated", "MergedWithPrevious",
                                         "MergedWithNext", "Contiguous"};
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (name == kNames[i]) {
      delimiter = static_cast<Delimiter>(i);
      return true;
    }
  }
  return false;
}

void divide_at(const Part& part, const std::vector<Range>& matches, Delimiter delimiter,
               bool invert, std::vector<Part>& parts) {
  std::vector<Piece> pieces = pieces_of(part.text.size(), matches, invert);
  switch (delimiter) {
    case Delimiter::kMergedWithPrevious:
      merge_with_previous(pieces);
      break;
    case Delimiter::kMergedWithNext:
      merge_with_next(pieces);
      break;
    case Delimiter::kContiguous:
      join_alike(pieces);
      break;
    case Delimiter::kRemoved:
    case Delimiter::kIsolated:
      break;
  }
  for (const Piece& piece : pieces) {
    const size_t size = piece.range.end - piece.range.begin;
    if (size > 0 && !(piece.is_delimiter && delimiter == Delimiter::kRemoved)) {
      parts.push_back(
          {part.text.substr(piece.range.begin, size), part.first && piece.range.begin == 0});
    }
  }
}

}  // namespace tokenizers
