#pragma once

#include <executorch/extension/llm/tokenizer/sentencepiece.h>
