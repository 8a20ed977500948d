package org.pytorch.executorch.extension.llm;

import org.pytorch.executorch.annotations.Experimental;

/** Is told what a model says, on the thread that generates. */
@Experimental
public interface LlmCallback {
  /** A piece of text, of whole characters. With {@code echo} the prompt comes first. */
  void onResult(String result);

  /** Figures of the run that has ended, as a JSON object: times in milliseconds, numbers of tokens. */
  default void onStats(String stats) {}

  /** The run failed; the number is also what {@code generate} returns. */
  default void onError(int errorCode, String message) {}
}
