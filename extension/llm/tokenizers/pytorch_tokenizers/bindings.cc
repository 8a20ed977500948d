/// The Python module `pytorch_tokenizers.pytorch_tokenizers_cpp`; its stub documents it.

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <executorch/extension/llm/tokenizer/hf_tokenizer.h>
#include <executorch/extension/llm/tokenizer/llama2c_tokenizer.h>
#include <executorch/extension/llm/tokenizer/sentencepiece.h>
#include <executorch/extension/llm/tokenizer/tekken.h>
#include <executorch/extension/llm/tokenizer/tiktoken.h>
#include <executorch/extension/llm/tokenizer/utf8.h>
#include <executorch/extension/log_capture/log_capture.h>
#include <executorch/runtime/platform/runtime.h>
#include <executorch/runtime/python/py_arguments.h>
#include <executorch/runtime/python/py_class.h>
#include <executorch/runtime/python/py_object.h>

namespace tokenizers {
namespace {

using ::executorch::extension::LogCapture;
using ::executorch::runtime::python::argument_title;
using ::executorch::runtime::python::Arguments;
using ::executorch::runtime::python::Call;
using ::executorch::runtime::python::check;
using ::executorch::runtime::python::checked;
using ::executorch::runtime::python::Class;
using ::executorch::runtime::python::ClassParts;
using ::executorch::runtime::python::getter;
using ::executorch::runtime::python::GilRelease;
using ::executorch::runtime::python::guarded;
using ::executorch::runtime::python::import_from;
using ::executorch::runtime::python::initialized;
using ::executorch::runtime::python::method;
using ::executorch::runtime::python::none;
using ::executorch::runtime::python::Object;
using ::executorch::runtime::python::Parameters;
using ::executorch::runtime::python::PythonError;
using ::executorch::runtime::python::size_number;
using ::executorch::runtime::python::text_argument;
using ::executorch::runtime::python::to_python;

constexpr char kModule[] = "pytorch_tokenizers.pytorch_tokenizers_cpp";

/// What an object of each class holds; as an object of the class that they inherit from, all of it.
struct AnyTokenizer {
  std::unique_ptr<Tokenizer> tokenizer;
};

template <typename Kind>
struct Holder : AnyTokenizer {
  Holder() { tokenizer = std::make_unique<Kind>(); }

  Kind& get() const { return static_cast<Kind&>(*tokenizer); }
};

struct TokenIndex {
  std::string str;
  uint64_t id = 0;
};

// --- errors ---

[[noreturn]] void fail(Error error, LogCapture& log, const char* what) {
  std::string reasons;
  for (const std::string& reason : log.take()) {
    reasons += (reasons.empty() ? "" : "; ") + reason;
  }
  throw std::runtime_error(std::string("Tokenizer: ") + what + ": " +
                           (reasons.empty() ? executorch::runtime::to_string(error) : reasons));
}

/// What a call returns, which runs without the GIL, or the exception that says what was logged.
template <typename Function>
auto value_of(const char* what, Function&& function) {
  const GilRelease release;
  LogCapture log;
  auto result = function();
  if (!result.ok()) {
    fail(result.error(), log, what);
  }
  return std::move(*result);
}

template <typename Function>
void succeed(const char* what, Function&& function) {
  const GilRelease release;
  LogCapture log;
  const Error error = function();
  if (error != Error::Ok) {
    fail(error, log, what);
  }
}

// --- arguments and results ---

/// A list, or another sequence that is no text.
std::vector<Object> items_of(PyObject* object, const std::string& title) {
  if (PySequence_Check(object) == 0 || PyUnicode_Check(object) != 0 || PyBytes_Check(object) != 0) {
    PyErr_Format(PyExc_TypeError, "%s is no list", title.c_str());
    throw PythonError();
  }
  const Py_ssize_t size = PySequence_Size(object);
  check(size < 0 ? -1 : 0);
  std::vector<Object> items;
  for (Py_ssize_t i = 0; i < size; ++i) {
    items.push_back(checked(PySequence_GetItem(object, i)));
  }
  return items;
}

template <size_t kCount>
std::vector<std::string> texts(const Arguments<kCount>& arguments, size_t index,
                               const Parameters<kCount>& parameters) {
  const char* const name = parameters.names[index];
  std::vector<std::string> found;
  for (const Object& item :
       items_of(arguments.object(index), argument_title(parameters.function, name))) {
    found.push_back(text_argument(item.get(), parameters.function, name));
  }
  return found;
}

template <size_t kCount>
std::string text_or_none(const Arguments<kCount>& arguments, size_t index) {
  return arguments.object(index) == nullptr ? std::string() : arguments.text(index);
}

/// How many tokens of begin or of end stand around a text.
template <size_t kCount>
int8_t repeats(const Arguments<kCount>& arguments, size_t index) {
  const int64_t count =
      arguments.object(index) == nullptr ? 0 : arguments.template whole<int64_t>(index);
  if (count < 0 || count > INT8_MAX) {
    PyErr_SetString(PyExc_ValueError, "bos and eos are counts of tokens, 0 to 127");
    throw PythonError();
  }
  return static_cast<int8_t>(count);
}

Object to_list(const std::vector<uint64_t>& tokens) {
  Object list = checked(PyList_New(static_cast<Py_ssize_t>(tokens.size())));
  for (size_t i = 0; i < tokens.size(); ++i) {
    // Takes the reference over, whether it succeeds or not.
    check(PyList_SetItem(list.get(), static_cast<Py_ssize_t>(i),
                         to_python(static_cast<size_t>(tokens[i])).release()));
  }
  return list;
}

Object to_text(const std::string& text) { return ::executorch::runtime::python::decode(text); }

// --- methods of all ---

Object load(AnyTokenizer& self, const Call& call) {
  constexpr Parameters<1> kParameters = {"load", 1, {"tokenizer_path"}};
  const std::string path = Arguments<1>(call, kParameters).text(0);
  succeed(("cannot load " + path).c_str(), [&] { return self.tokenizer->load(path); });
  return none();
}

Object encode(AnyTokenizer& self, const Call& call) {
  constexpr Parameters<3> kParameters = {"encode", 1, {"input", "bos", "eos"}};
  const Arguments<3> arguments(call, kParameters);
  const std::string input = arguments.text(0);
  const int8_t bos = repeats(arguments, 1);
  const int8_t eos = repeats(arguments, 2);
  return to_list(
      value_of("cannot encode", [&] { return self.tokenizer->encode(input, bos, eos); }));
}

/// In the middle of a text.
Object decode(AnyTokenizer& self, const Call& call) {
  constexpr Parameters<2> kParameters = {"decode", 1, {"token", "skip_special_tokens"}};
  const Arguments<2> arguments(call, kParameters);
  const uint64_t token = arguments.size(0);
  const bool skip = arguments.boolean(1, false);
  return to_text(valid_utf8(
      value_of("cannot decode", [&] { return self.tokenizer->decode(token, token, skip); })));
}

Object decode_batch(AnyTokenizer& self, const Call& call) {
  constexpr Parameters<2> kParameters = {"decode_batch", 1, {"tokens", "skip_special_tokens"}};
  const Arguments<2> arguments(call, kParameters);
  const std::string title = argument_title(kParameters.function, kParameters.names[0]);
  std::vector<uint64_t> tokens;
  for (const Object& item : items_of(arguments.object(0), title)) {
    tokens.push_back(size_number(item.get(), title));
  }
  const bool skip = arguments.boolean(1, false);
  return to_text(
      value_of("cannot decode", [&] { return self.tokenizer->decode_batch(tokens, skip); }));
}

Object id_to_piece(AnyTokenizer& self, const Call& call) {
  constexpr Parameters<1> kParameters = {"id_to_piece", 1, {"token"}};
  const uint64_t token = Arguments<1>(call, kParameters).size(0);
  const std::string piece =
      value_of("no such token", [&] { return self.tokenizer->id_to_piece(token); });
  return checked(PyBytes_FromStringAndSize(piece.data(), static_cast<Py_ssize_t>(piece.size())));
}

Object piece_to_id(AnyTokenizer& self, const Call& call) {
  constexpr Parameters<1> kParameters = {"piece_to_id", 1, {"piece"}};
  const auto token = self.tokenizer->piece_to_id(Arguments<1>(call, kParameters).text(0));
  return token.ok() ? to_python(static_cast<size_t>(*token)) : none();
}

Object vocab_size(AnyTokenizer& self) {
  return to_python(static_cast<size_t>(self.tokenizer->vocab_size()));
}
Object bos_tok(AnyTokenizer& self) {
  return to_python(static_cast<size_t>(self.tokenizer->bos_tok()));
}
Object eos_tok(AnyTokenizer& self) {
  return to_python(static_cast<size_t>(self.tokenizer->eos_tok()));
}
Object is_loaded(AnyTokenizer& self) { return to_python(self.tokenizer->is_loaded()); }

PyMethodDef kMethods[] = {
    method<AnyTokenizer, load>("load"),
    method<AnyTokenizer, encode>("encode"),
    method<AnyTokenizer, decode>("decode"),
    method<AnyTokenizer, decode_batch>("decode_batch"),
    method<AnyTokenizer, id_to_piece>("id_to_piece"),
    method<AnyTokenizer, piece_to_id>("piece_to_id"),
    getter<AnyTokenizer, vocab_size>("vocab_size"),
    getter<AnyTokenizer, bos_tok>("bos_tok"),
    getter<AnyTokenizer, eos_tok>("eos_tok"),
    getter<AnyTokenizer, is_loaded>("is_loaded"),
    {nullptr, nullptr, 0, nullptr},
};

// --- methods of each ---

template <typename Kind>
void init_plain(Holder<Kind>& /*self*/, const Call& call) {
  constexpr Parameters<0> kParameters = {"a tokenizer", 0, {}};
  const Arguments<0> arguments(call, kParameters);
}

Object load_text(Holder<HFTokenizer>& self, const Call& call) {
  constexpr Parameters<2> kParameters = {"load_text", 1, {"tokenizer", "config"}};
  const Arguments<2> arguments(call, kParameters);
  const std::string tokenizer = arguments.text(0);
  const std::string config = text_or_none(arguments, 1);
  succeed("cannot load", [&] { return self.get().load_text(tokenizer, config); });
  return none();
}

Object score(Holder<SPTokenizer>& self, const Call& call) {
  constexpr Parameters<1> kParameters = {"score", 1, {"token"}};
  return to_python(double{self.get().score(Arguments<1>(call, kParameters).size(0))});
}

template <typename Kind>
Object encode_allowing(Holder<Kind>& self, const Call& call) {
  constexpr Parameters<2> kParameters = {"encode_allowing", 2, {"input", "allowed_special"}};
  const Arguments<2> arguments(call, kParameters);
  const std::string input = arguments.text(0);
  const std::vector<std::string> allowed = texts(arguments, 1, kParameters);
  return to_list(
      value_of("cannot encode", [&] { return self.get().encode_allowing(input, allowed); }));
}

Object get_version(Holder<Tekken>& self) { return to_text(self.get().get_version()); }

std::unique_ptr<std::vector<std::string>> owned(std::vector<std::string> special) {
  return std::make_unique<std::vector<std::string>>(std::move(special));
}

/// Whether the pattern stands in front of the special tokens, or has its name.
bool has_pattern(const Call& call) {
  const Py_ssize_t named = call.names == nullptr ? 0 : PyTuple_Size(call.names);
  for (Py_ssize_t i = 0; i < named; ++i) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GetItem(call.names, i), "pattern") == 0) {
      return true;
    }
  }
  return call.positional > 0 && PyUnicode_Check(call.values[0]) != 0;
}

void init_tiktoken(Holder<Tiktoken>& self, const Call& call) {
  if (call.positional == 0 && (call.names == nullptr || PyTuple_Size(call.names) == 0)) {
    return;
  }
  if (has_pattern(call)) {
    constexpr Parameters<4> kParameters = {
        "Tiktoken", 4, {"pattern", "special_tokens", "bos_token_index", "eos_token_index"}};
    const Arguments<4> arguments(call, kParameters);
    self.tokenizer =
        std::make_unique<Tiktoken>(arguments.text(0), owned(texts(arguments, 1, kParameters)),
                                   arguments.size(2), arguments.size(3));
    return;
  }
  constexpr Parameters<3> kParameters = {
      "Tiktoken", 3, {"special_tokens", "bos_token_index", "eos_token_index"}};
  const Arguments<3> arguments(call, kParameters);
  self.tokenizer = std::make_unique<Tiktoken>(owned(texts(arguments, 0, kParameters)),
                                              arguments.size(1), arguments.size(2));
}

template <typename Kind, size_t kCount>
void define_kind(const Object& module, const char* name, PyMethodDef (&methods)[kCount],
                 initproc init = &initialized<Holder<Kind>, &init_plain<Kind>>) {
  ClassParts parts;
  parts.init = init;
  parts.base = Class<AnyTokenizer>::type();
  Class<Holder<Kind>>::define(module, name, methods, parts);
}

constexpr PyMethodDef kEnd = {nullptr, nullptr, 0, nullptr};
PyMethodDef kHfMethods[] = {method<Holder<HFTokenizer>, load_text>("load_text"), kEnd};
PyMethodDef kSpMethods[] = {method<Holder<SPTokenizer>, score>("score"), kEnd};
PyMethodDef kLlama2cMethods[] = {kEnd};
PyMethodDef kTiktokenMethods[] = {
    method<Holder<Tiktoken>, encode_allowing<Tiktoken>>("encode_allowing"), kEnd};
PyMethodDef kTekkenMethods[] = {method<Holder<Tekken>, encode_allowing<Tekken>>("encode_allowing"),
                                getter<Holder<Tekken>, get_version>("get_version"), kEnd};

void define_tokenizers(const Object& module) {
  ClassParts parts;
  parts.is_base = true;
  Class<AnyTokenizer>::define(module, "pytorch_tokenizers.pytorch_tokenizers_cpp.Tokenizer",
                              kMethods, parts);
  define_kind<HFTokenizer>(module, "pytorch_tokenizers.pytorch_tokenizers_cpp.HFTokenizer",
                           kHfMethods);
  define_kind<SPTokenizer>(module, "pytorch_tokenizers.pytorch_tokenizers_cpp.SPTokenizer",
                           kSpMethods);
  define_kind<Llama2cTokenizer>(
      module, "pytorch_tokenizers.pytorch_tokenizers_cpp.Llama2cTokenizer", kLlama2cMethods);
  define_kind<Tiktoken>(module, "pytorch_tokenizers.pytorch_tokenizers_cpp.Tiktoken",
                        kTiktokenMethods, &initialized<Holder<Tiktoken>, init_tiktoken>);
  define_kind<Tekken>(module, "pytorch_tokenizers.pytorch_tokenizers_cpp.Tekken", kTekkenMethods);
}

// --- the rest of the module ---

PyObject* index_text(PyObject* self, void* /*closure*/) {
  return guarded([&] { return to_text(Class<TokenIndex>::of(self).str); });
}

PyObject* index_token(PyObject* self, void* /*closure*/) {
  return guarded([&] { return to_python(static_cast<size_t>(Class<TokenIndex>::of(self).id)); });
}

PyGetSetDef kIndexAttributes[] = {
    {"str", &index_text, nullptr, nullptr, nullptr},
    {"id", &index_token, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMethodDef kIndexMethods[] = {kEnd};

/// The documented codes, by their numbers. What is raised says in words what went wrong.
constexpr std::array<const char*, 10> kCodes = {"Ok",
                                                "Internal",
                                                "Uninitialized",
                                                "OutOfRange",
                                                "LoadFailure",
                                                "EncodeFailure",
                                                "Base64DecodeFailure",
                                                "ParseFailure",
                                                "DecodeFailure",
                                                "RegexFailure"};

void define_codes(const Object& module) {
  const Object members = checked(PyDict_New());
  for (size_t i = 0; i < kCodes.size(); ++i) {
    check(PyDict_SetItemString(members.get(), kCodes[i], to_python(i).get()));
  }
  const Object made = ::executorch::runtime::python::call(import_from("enum", "IntEnum"),
                                                          {to_text("Error"), members});
  check(PyObject_SetAttrString(made.get(), "__module__", to_text(kModule).get()));
  check(PyObject_SetAttrString(module.get(), "Error", made.get()));
}

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, kModule, nullptr, -1, nullptr, nullptr, nullptr, nullptr, nullptr,
};

Object make_module() {
  Object module = checked(PyModule_Create(&definition));
  LogCapture::install();
  executorch::runtime::runtime_init();
  define_codes(module);
  ClassParts parts;
  parts.attributes = kIndexAttributes;
  Class<TokenIndex>::define(module, "pytorch_tokenizers.pytorch_tokenizers_cpp.TokenIndex",
                            kIndexMethods, parts);
  define_tokenizers(module);
  return module;
}

}  // namespace
}  // namespace tokenizers

extern "C" __attribute__((visibility("default"))) PyObject* PyInit_pytorch_tokenizers_cpp(void);

PyObject* PyInit_pytorch_tokenizers_cpp(void) {
  return executorch::runtime::python::guarded(&tokenizers::make_module);
}
