package org.pytorch.executorch.extension.llm;

/**
 * The natives of {@link LlmModule}. A handle belongs to one thread at a time, but for {@link #stop}. Whatever fails throws
 * {@link org.pytorch.executorch.ExecutorchRuntimeException}.
 */
final class NativeLlm {
  private NativeLlm() {}

  /** A handle for the others, to be given to {@link #destroy}; reads the tokenizer and not yet the program. */
  static native long open(String modulePath, String tokenizerPath, String[] dataPaths);

  static native void destroy(long module);

  /** Loads the program. */
  static native void load(long module);

  /** Generates until the end; what the callback throws ends the run and is thrown. */
  static native void generate(
      long module,
      String prompt,
      boolean echo,
      int maxNewTokens,
      boolean warming,
      int seqLen,
      float temperature,
      int numBos,
      int numEos,
      LlmCallback callback);

  /** Ends a run on another thread soon. */
  static native void stop(long module);

  static native void reset(long module);
}
