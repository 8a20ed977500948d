/// An application with a language model: tokenizers by PyTorch's paths, and the operators of its
/// export.

#include <cstdio>

#include <pytorch/tokenizers/hf_tokenizer.h>

#include <executorch/extension/llm/runner/llm_runner_helper.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/runtime.h>

int main() {
  executorch::runtime::runtime_init();
  tokenizers::HFTokenizer tokenizer;
  if (tokenizer.load("/no/such/file") != tokenizers::Error::LoadFailure) {
    return 1;
  }
  const char* separator = "";
  for (const char* name : {"llama::custom_sdpa.out", "aten::add.out"}) {
    const bool is_there = executorch::runtime::registry_has_op_function(name);
    std::printf("%s%s: %d", separator, name, is_there ? 1 : 0);
    separator = ", ";
  }
  std::printf("\n");
  return 0;
}
