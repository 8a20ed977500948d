package org.pytorch.executorch.extension.llm;

/**
 * The natives of {@link LlmModule}. A handle belongs to one thread at a time, but for {@link #stop}. Whatever fails throws
 * {@link org.pytorch.executorch.ExecutorchRuntimeException}.
 */
final class NativeLlm {
  private NativeLlm() {}

  /**
   * A handle for the others, to be given to {@link #destroy}; reads the tokenizer and not yet the program.
   *
   * @param multimodal Whether the program takes images and audio as well, by methods of their own.
   * @param loadMode A {@code LlmModuleConfig.LOAD_MODE_…}.
   */
  static native long open(
      String modulePath, String tokenizerPath, String[] dataPaths, boolean multimodal, int loadMode);

  static native void destroy(long module);

  /** Loads the program. */
  static native void load(long module);

  /** What waits for the next prompt. Of each two arrays one is null. */
  static native void appendText(long module, String text);

  static native void appendImage(long module, byte[] bytes, float[] floats, int width, int height, int channels);

  static native void appendAudio(long module, byte[] bytes, float[] floats, int batchSize, int bins, int frames);

  static native void appendRawAudio(
      long module, byte[] bytes, float[] floats, int batchSize, int channels, int samples);

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
