#pragma once

#include <executorch/extension/llm/tokenizer/error.h>
