#pragma once

#include <executorch/extension/llm/tokenizer/hf_tokenizer.h>
