/// The Python module `pytorch_tokenizers.pytorch_tokenizers_cpp`; its stub documents it.

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/native_enum.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <executorch/extension/llm/tokenizer/hf_tokenizer.h>
#include <executorch/extension/llm/tokenizer/llama2c_tokenizer.h>
#include <executorch/extension/llm/tokenizer/sentencepiece.h>
#include <executorch/extension/llm/tokenizer/tiktoken.h>
#include <executorch/extension/llm/tokenizer/utf8.h>
#include <executorch/extension/log_capture/log_capture.h>
#include <executorch/runtime/platform/runtime.h>

namespace py = pybind11;

namespace tokenizers {
namespace {

using ::executorch::extension::LogCapture;

/// The documented codes. What is raised says in words what went wrong.
enum class Code {
  kOk,
  kInternal,
  kUninitialized,
  kOutOfRange,
  kLoadFailure,
  kEncodeFailure,
  kBase64DecodeFailure,
  kParseFailure,
  kDecodeFailure,
  kRegexFailure,
};

struct TokenIndex {
  std::string str;
  uint64_t id;
};

[[noreturn]] void fail(Error error, LogCapture& log, const char* what) {
  std::string reasons;
  for (const std::string& reason : log.take()) {
    reasons += (reasons.empty() ? "" : "; ") + reason;
  }
  throw std::runtime_error(std::string("Tokenizer: ") + what + ": " +
                           (reasons.empty() ? executorch::runtime::to_string(error) : reasons));
}

template <typename T>
T value_of(Result<T> result, LogCapture& log, const char* what) {
  if (!result.ok()) {
    fail(result.error(), log, what);
  }
  return std::move(*result);
}

void load(Tokenizer& self, const std::string& path) {
  LogCapture log;
  const Error error = self.load(path);
  if (error != Error::Ok) {
    fail(error, log, ("cannot load " + path).c_str());
  }
}

std::vector<uint64_t> encode(const Tokenizer& self, const std::string& input, int bos, int eos) {
  if (bos < 0 || bos > INT8_MAX || eos < 0 || eos > INT8_MAX) {
    throw std::invalid_argument("bos and eos are counts of tokens, 0 to 127");
  }
  LogCapture log;
  return value_of(self.encode(input, static_cast<int8_t>(bos), static_cast<int8_t>(eos)), log,
                  "cannot encode");
}

/// In the middle of a text.
std::string decode(const Tokenizer& self, uint64_t token, bool skip_special_tokens) {
  LogCapture log;
  return valid_utf8(value_of(self.decode(token, token, skip_special_tokens), log, "cannot decode"));
}

std::string decode_batch(const Tokenizer& self, const std::vector<uint64_t>& tokens,
                         bool skip_special_tokens) {
  LogCapture log;
  return value_of(self.decode_batch(tokens, skip_special_tokens), log, "cannot decode");
}

py::bytes id_to_piece(const Tokenizer& self, uint64_t token) {
  LogCapture log;
  return py::bytes(value_of(self.id_to_piece(token), log, "no such token"));
}

std::optional<uint64_t> piece_to_id(const Tokenizer& self, const std::string& piece) {
  const auto token = self.piece_to_id(piece);
  return token.ok() ? std::optional<uint64_t>(*token) : std::nullopt;
}

std::unique_ptr<std::vector<std::string>> owned(std::vector<std::string> texts) {
  return std::make_unique<std::vector<std::string>>(std::move(texts));
}

void bind_kinds(py::module_& m) {
  using Release = py::call_guard<py::gil_scoped_release>;
  py::class_<HFTokenizer, Tokenizer>(m, "HFTokenizer")
      .def(py::init<>())
      .def(
          "load_text",
          [](HFTokenizer& self, const std::string& tokenizer, const std::string& config) {
            LogCapture log;
            const Error error = self.load_text(tokenizer, config);
            if (error != Error::Ok) {
              fail(error, log, "cannot load");
            }
          },
          py::arg("tokenizer"), py::arg("config") = "", Release());
  py::class_<SPTokenizer, Tokenizer>(m, "SPTokenizer")
      .def(py::init<>())
      .def("score", &SPTokenizer::score, py::arg("token"));
  py::class_<Llama2cTokenizer, Tokenizer>(m, "Llama2cTokenizer").def(py::init<>());
  py::class_<Tiktoken, Tokenizer>(m, "Tiktoken")
      .def(py::init<>())
      .def(py::init([](std::vector<std::string> special_tokens, size_t bos, size_t eos) {
             return std::make_unique<Tiktoken>(owned(std::move(special_tokens)), bos, eos);
           }),
           py::arg("special_tokens"), py::arg("bos_token_index"), py::arg("eos_token_index"))
      .def(py::init([](const std::string& pattern, std::vector<std::string> special_tokens,
                       size_t bos, size_t eos) {
             return std::make_unique<Tiktoken>(pattern, owned(std::move(special_tokens)), bos, eos);
           }),
           py::arg("pattern"), py::arg("special_tokens"), py::arg("bos_token_index"),
           py::arg("eos_token_index"))
      .def(
          "encode_allowing",
          [](const Tiktoken& self, const std::string& input,
             const std::vector<std::string>& allowed) {
            LogCapture log;
            return value_of(self.encode_allowing(input, allowed), log, "cannot encode");
          },
          py::arg("input"), py::arg("allowed_special"), Release());
}

}  // namespace

PYBIND11_MODULE(pytorch_tokenizers_cpp, m) {
  executorch::runtime::runtime_init();
  LogCapture::install();
  py::native_enum<Code>(m, "Error", "enum.IntEnum")
      .value("Ok", Code::kOk)
      .value("Internal", Code::kInternal)
      .value("Uninitialized", Code::kUninitialized)
      .value("OutOfRange", Code::kOutOfRange)
      .value("LoadFailure", Code::kLoadFailure)
      .value("EncodeFailure", Code::kEncodeFailure)
      .value("Base64DecodeFailure", Code::kBase64DecodeFailure)
      .value("ParseFailure", Code::kParseFailure)
      .value("DecodeFailure", Code::kDecodeFailure)
      .value("RegexFailure", Code::kRegexFailure)
      .finalize();
  py::class_<TokenIndex>(m, "TokenIndex")
      .def_readonly("str", &TokenIndex::str)
      .def_readonly("id", &TokenIndex::id);
  using Release = py::call_guard<py::gil_scoped_release>;
  py::class_<Tokenizer>(m, "Tokenizer")
      .def("load", &load, py::arg("tokenizer_path"), Release())
      .def("encode", &encode, py::arg("input"), py::arg("bos") = 0, py::arg("eos") = 0, Release())
      .def("decode", &decode, py::arg("token"), py::arg("skip_special_tokens") = false, Release())
      .def("decode_batch", &decode_batch, py::arg("tokens"), py::arg("skip_special_tokens") = false,
           Release())
      .def("id_to_piece", &id_to_piece, py::arg("token"))
      .def("piece_to_id", &piece_to_id, py::arg("piece"))
      .def("vocab_size", &Tokenizer::vocab_size)
      .def("bos_tok", &Tokenizer::bos_tok)
      .def("eos_tok", &Tokenizer::eos_tok)
      .def("is_loaded", &Tokenizer::is_loaded);
  bind_kinds(m);
}

}  // namespace tokenizers
