#include <functional>
#include <utility>

#include <executorch/extension/llm/tokenizer/model_file.h>
#include <executorch/extension/llm/tokenizer/pattern.h>
#include <executorch/extension/llm/tokenizer/token_decoder.h>
#include <executorch/extension/llm/tokenizer/unicode.h>
#include <executorch/extension/llm/tokenizer/utf8.h>

namespace tokenizers {

using ::executorch::runtime::Error;

namespace {

using Pieces = std::vector<std::string>;

class Step : public TokenDecoder {
 public:
  explicit Step(std::function<Error(Pieces&, bool raw)> step) : step_(std::move(step)) {}
  Error decode(Pieces& pieces, bool raw) const override { return step_(pieces, raw); }

 private:
  std::function<Error(Pieces&, bool raw)> step_;
};

/// A step that cannot fail, on all pieces.
template <typename Function>
std::unique_ptr<TokenDecoder> on_all(Function change) {
  return std::make_unique<Step>([change](Pieces& pieces, bool) {
    change(pieces);
    return Error::Ok;
  });
}

class Sequence : public TokenDecoder {
 public:
  explicit Sequence(std::vector<std::unique_ptr<TokenDecoder>> steps) : steps_(std::move(steps)) {}

  Error decode(Pieces& pieces, bool raw) const override {
    for (const auto& step : steps_) {
      const Error error = step->decode(pieces, raw);
      if (error != Error::Ok) {
        return error;
      }
    }
    return Error::Ok;
  }

 private:
  std::vector<std::unique_ptr<TokenDecoder>> steps_;
};

void fuse(Pieces& pieces) {
  std::string whole;
  for (const std::string& piece : pieces) {
    whole += piece;
  }
  pieces.assign(1, std::move(whole));
}

/// A piece that has a character of another kind stays as it is.
Error bytes_of_characters(Pieces& pieces, bool raw) {
  for (std::string& piece : pieces) {
    std::string bytes;
    bool all = true;
    for (size_t at = 0; at < piece.size() && all;) {
      const int byte = byte_of_character(next_character(piece, at));
      all = byte >= 0;
      bytes += static_cast<char>(byte);
    }
    piece = all ? std::move(bytes) : std::move(piece);
  }
  fuse(pieces);
  pieces[0] = raw ? pieces[0] : valid_utf8(pieces[0]);
  return Error::Ok;
}

/// Bytes in a row that are no text are U+FFFD, one for each.
void append_bytes(std::string& bytes, bool raw, Pieces& decoded) {
  if (bytes.empty()) {
    return;
  }
  if (raw || valid_utf8(bytes) == bytes) {
    decoded.push_back(bytes);
  } else {
    for (size_t i = 0; i < bytes.size(); ++i) {
      decoded.emplace_back("\xef\xbf\xbd");
    }
  }
  bytes.clear();
}

Error bytes_of_names(Pieces& pieces, bool raw) {
  Pieces decoded;
  std::string bytes;
  for (std::string& piece : pieces) {
    const int byte = byte_of(piece);
    if (byte >= 0) {
      bytes += static_cast<char>(byte);
      continue;
    }
    append_bytes(bytes, raw, decoded);
    decoded.push_back(std::move(piece));
  }
  append_bytes(bytes, raw, decoded);
  pieces = std::move(decoded);
  return Error::Ok;
}

void clean_up(std::string& text) {
  constexpr std::pair<const char*, const char*> kChanges[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},     {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},   {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"},
  };
  for (const auto& [from, to] : kChanges) {
    replace_all(from, to, text);
  }
}

std::unique_ptr<TokenDecoder> word_piece(const Json& config) {
  const std::string prefix = text_field(config, "prefix");
  const bool cleanup = flag_field(config, "cleanup", true);
  return on_all([prefix, cleanup](Pieces& pieces) {
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (i > 0 && pieces[i].compare(0, prefix.size(), prefix) == 0) {
        pieces[i].erase(0, prefix.size());
      } else if (i > 0) {
        pieces[i].insert(0, " ");
      }
      if (cleanup) {
        clean_up(pieces[i]);
      }
    }
  });
}

std::unique_ptr<TokenDecoder> metaspace(const Json& config) {
  const std::string replacement = text_field(config, "replacement");
  const std::string scheme = text_field(config, "prepend_scheme");
  const bool never =
      scheme.empty() ? !flag_field(config, "add_prefix_space", true) : scheme == "never";
  return on_all([replacement, never](Pieces& pieces) {
    for (size_t i = 0; i < pieces.size(); ++i) {
      replace_all(replacement, i == 0 && !never ? "" : " ", pieces[i]);
    }
  });
}

/// Takes up to `most` of a character off the front of a text, or off its end.
void take_off(const std::string& content, uint64_t most, bool front, std::string& text) {
  for (uint64_t i = 0; i < most && !content.empty() && text.size() >= content.size(); ++i) {
    const size_t at = front ? 0 : text.size() - content.size();
    if (text.compare(at, content.size(), content) != 0) {
      break;
    }
    text.erase(at, content.size());
  }
}

std::unique_ptr<TokenDecoder> strip(const Json& config) {
  const std::string content = text_field(config, "content");
  const uint64_t start = count_field(config, "start", 0);
  const uint64_t stop = count_field(config, "stop", 0);
  return on_all([=](Pieces& pieces) {
    for (std::string& piece : pieces) {
      take_off(content, start, true, piece);
      take_off(content, stop, false, piece);
    }
  });
}

std::unique_ptr<TokenDecoder> with_suffix(const Json& config) {
  const std::string suffix = text_field(config, "suffix");
  return on_all([suffix](Pieces& pieces) {
    for (size_t i = 0; i < pieces.size(); ++i) {
      replace_all(suffix, i + 1 == pieces.size() ? "" : " ", pieces[i]);
    }
  });
}

std::unique_ptr<TokenDecoder> ctc(const Json& config) {
  const std::string padding = text_field(config, "pad_token");
  const std::string delimiter = text_field(config, "word_delimiter_token");
  const bool cleanup = flag_field(config, "cleanup", true);
  return on_all([=](Pieces& pieces) {
    Pieces kept;
    const std::string* previous = nullptr;
    for (const std::string& piece : pieces) {
      if (previous != nullptr && piece == *previous) {
        continue;
      }
      previous = &piece;
      std::string text = piece;
      replace_all(padding, "", text);
      if (cleanup) {
        clean_up(text);
        replace_all(delimiter, " ", text);
      }
      if (!text.empty()) {
        kept.push_back(std::move(text));
      }
    }
    pieces = std::move(kept);
  });
}

std::unique_ptr<TokenDecoder> replacement(const Json& config, std::string& why) {
  std::shared_ptr<Regex> pattern = read_pattern(field(config, "pattern"), why);
  if (pattern == nullptr) {
    return nullptr;
  }
  const std::string content = text_field(config, "content");
  return std::make_unique<Step>([pattern, content](Pieces& pieces, bool) {
    for (std::string& piece : pieces) {
      // A pattern is for text; parts of characters are none.
      const Error error =
          valid_utf8(piece) == piece ? replace_all(*pattern, content, piece) : Error::Ok;
      if (error != Error::Ok) {
        return error;
      }
    }
    return Error::Ok;
  });
}

}  // namespace

std::unique_ptr<TokenDecoder> read_token_decoder(const Json& config, std::string& why, int depth) {
  const std::string type = type_of(config);
  if (type == "ByteLevel") {
    return std::make_unique<Step>(bytes_of_characters);
  }
  if (type == "ByteFallback") {
    return std::make_unique<Step>(bytes_of_names);
  }
  if (type == "Fuse") {
    return on_all(fuse);
  }
  if (type == "WordPiece") {
    return word_piece(config);
  }
  if (type == "Metaspace") {
    return metaspace(config);
  }
  if (type == "Strip") {
    return strip(config);
  }
  if (type == "BPEDecoder") {
    return with_suffix(config);
  }
  if (type == "CTC") {
    return ctc(config);
  }
  if (type == "Replace") {
    return replacement(config, why);
  }
  if (type != "Sequence" || !field(config, "decoders").is_array() || depth == kDeepest) {
    why = "its decoder '" + type + "' is not known, or not complete";
    return nullptr;
  }
  std::vector<std::unique_ptr<TokenDecoder>> steps;
  for (const Json& step : field(config, "decoders")) {
    steps.push_back(read_token_decoder(step, why, depth + 1));
    if (steps.back() == nullptr) {
      return nullptr;
    }
  }
  return std::make_unique<Sequence>(std::move(steps));
}

}  // namespace tokenizers
