package org.pytorch.executorch.extension.asr;

import org.pytorch.executorch.annotations.Experimental;

/** Is told what a model hears, on the thread that transcribes. */
@Experimental
public interface AsrCallback {
  /**
   * A piece of text, of whole characters. Tokens that are no text are told by their names: Whisper begins with those of
   * language and task and ends with {@code <|endoftext|>}.
   */
  void onToken(String token);
}
