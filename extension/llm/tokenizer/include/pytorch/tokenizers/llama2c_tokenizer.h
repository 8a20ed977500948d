#pragma once

#include <executorch/extension/llm/tokenizer/llama2c_tokenizer.h>
