package org.pytorch.executorch.extension.asr;

/**
 * The natives of {@code AsrModule}. A handle belongs to one thread at a time, but for {@link #stop}. Whatever fails throws
 * {@link org.pytorch.executorch.ExecutorchRuntimeException}.
 */
final class NativeAsr {
  private NativeAsr() {}

  /** A handle for the others, to be given to {@link #destroy}; the last two may be null. Reads nothing yet. */
  static native long open(String modelPath, String tokenizerPath, String dataPath, String preprocessorPath);

  static native void destroy(long module);

  static native void load(long module);

  /** Transcribes a WAV file until the end; what the callback, which may be null, throws ends it and is thrown. */
  static native void transcribe(
      long module, String wavPath, long maxNewTokens, float temperature, long decoderStartTokenId, AsrCallback callback);

  /** Ends a transcription on another thread soon. */
  static native void stop(long module);
}
