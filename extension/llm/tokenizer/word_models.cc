#include <executorch/extension/llm/tokenizer/model.h>
#include <executorch/extension/llm/tokenizer/utf8.h>
#include <executorch/runtime/platform/log.h>

namespace tokenizers {

using ::executorch::runtime::Error;

namespace {

/// What models have that know whole words, or the longest beginnings of them.
class WordModel : public Model {
 public:
  bool read(const Json& config, std::string& why) {
    unknown_ = text_field(config, "unk_token");
    return read_vocabulary(config, vocabulary_, why);
  }

 protected:
  Error append_unknown(std::vector<uint64_t>& tokens) const {
    uint64_t token = 0;
    if (!vocabulary_.find(unknown_, token)) {
      ET_LOG(Error, "A word is not in the tokenizer's vocabulary, nor is its unknown token '%s'",
             unknown_.c_str());
      return Error::InvalidArgument;
    }
    tokens.push_back(token);
    return Error::Ok;
  }

 private:
  std::string unknown_;
};

class WordLevel : public WordModel {
 public:
  Error tokenize(std::string_view word, std::vector<uint64_t>& tokens) const override {
    uint64_t token = 0;
    if (!vocabulary_.find(word, token)) {
      return append_unknown(tokens);
    }
    tokens.push_back(token);
    return Error::Ok;
  }
};

class WordPiece : public WordModel {
 public:
  bool read(const Json& config, std::string& why) {
    prefix_ = text_field(config, "continuing_subword_prefix");
    longest_ = count_field(config, "max_input_chars_per_word", 100);
    return WordModel::read(config, why);
  }

  Error tokenize(std::string_view word, std::vector<uint64_t>& tokens) const override {
    std::vector<size_t> ends;  // of its characters
    for (size_t at = 0; at < word.size();) {
      next_character(word, at);
      ends.push_back(at);
    }
    if (ends.size() > longest_) {
      return append_unknown(tokens);
    }
    const size_t before = tokens.size();
    for (size_t begin = 0, first = 0; begin < word.size();) {
      size_t last = ends.size();
      uint64_t token = 0;
      while (last > first) {
        std::string piece = begin == 0 ? "" : prefix_;
        piece += word.substr(begin, ends[last - 1] - begin);
        if (vocabulary_.find(piece, token)) {
          break;
        }
        --last;
      }
      if (last == first) {
        tokens.resize(before);
        return append_unknown(tokens);
      }
      tokens.push_back(token);
      begin = ends[last - 1];
      first = last;
    }
    return Error::Ok;
  }

 private:
  std::string prefix_;
  uint64_t longest_ = 0;
};

template <typename Kind>
std::unique_ptr<Model> read_words(const Json& config, std::string& why) {
  auto model = std::make_unique<Kind>();
  return model->read(config, why) ? std::move(model) : nullptr;
}

}  // namespace

std::unique_ptr<Model> read_word_piece(const Json& config, std::string& why) {
  return read_words<WordPiece>(config, why);
}

std::unique_ptr<Model> read_word_level(const Json& config, std::string& why) {
  return read_words<WordLevel>(config, why);
}

}  // namespace tokenizers
