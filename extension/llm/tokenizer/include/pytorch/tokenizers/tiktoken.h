#pragma once

#include <executorch/extension/llm/tokenizer/tiktoken.h>
