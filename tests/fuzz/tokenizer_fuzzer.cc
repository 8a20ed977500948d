// A file of a tokenizer, whichever format it is: load, and texts to tokens and back.

#include <initializer_list>
#include <string>
#include <vector>

#include <executorch/extension/llm/tokenizer/hf_tokenizer.h>
#include <executorch/extension/llm/tokenizer/llama2c_tokenizer.h>
#include <executorch/extension/llm/tokenizer/sentencepiece.h>
#include <executorch/extension/llm/tokenizer/tekken.h>
#include <executorch/extension/llm/tokenizer/tiktoken.h>
#include <executorch/tests/fuzz/digest.h>
#include <executorch/tests/fuzz/fuzz_target.h>
#include <executorch/tests/fuzz/quiet.h>
#include <executorch/tests/fuzz/scratch_file.h>

namespace {

using executorch::fuzz::Digest;
using tokenizers::Error;
using tokenizers::Tokenizer;

const std::string kTexts[] = {"", "a", " hello world ", "\xe2\x96\x81\xf0\x9f\x98\x80\xff\xc3",
                              "aaaaabbbbb  <0x41></s><s>ab\n\t"};

/// @returns whether it could be loaded and has tokens for some of the texts.
bool use(Tokenizer& tokenizer, const std::string& path, Digest& digest) {
  if (tokenizer.load(path) != Error::Ok) {
    return false;
  }
  bool ok = false;
  for (const std::string& text : kTexts) {
    const auto tokens = tokenizer.encode(text, 1, 1);
    ok = ok || tokens.ok();
    uint64_t previous = tokenizer.bos_tok();
    for (const uint64_t token : tokens.ok() ? *tokens : std::vector<uint64_t>()) {
      const auto piece = tokenizer.decode(previous, token, token % 2 == 0);
      digest.add(token);
      if (piece.ok()) {
        digest.add(piece->data(), piece->size());
      }
      previous = token;
    }
  }
  for (const uint64_t token : {uint64_t{0}, static_cast<uint64_t>(tokenizer.vocab_size()),
                               UINT64_MAX, tokenizer.eos_tok()}) {
    (void)tokenizer.decode(token, token);
    (void)tokenizer.decode_batch({token, token}, true);
    (void)tokenizer.id_to_piece(token);
  }
  (void)tokenizer.piece_to_id("a");
  return ok;
}

}  // namespace

extern "C" bool FuzzTargetResult(const uint8_t* data, size_t size, uint64_t* result) {
  executorch::fuzz::silence_log();
  static executorch::fuzz::ScratchFile file;
  const std::string& path = file.write(data, size);
  Digest digest;
  tokenizers::Llama2cTokenizer llama2c;
  tokenizers::SPTokenizer sentencepiece;
  tokenizers::HFTokenizer hugging_face;
  tokenizers::Tekken tekken;
  tokenizers::Tiktoken tiktoken;
  bool ok = false;
  for (Tokenizer* const tokenizer : std::initializer_list<Tokenizer*>{
           &llama2c, &sentencepiece, &hugging_face, &tekken, &tiktoken}) {
    ok = use(*tokenizer, path, digest) || ok;
  }
  *result = digest.value;
  return ok;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  uint64_t digest = 0;
  (void)FuzzTargetResult(data, size, &digest);
  return 0;
}
