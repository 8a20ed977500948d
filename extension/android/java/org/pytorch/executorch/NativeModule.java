package org.pytorch.executorch;

/**
 * What the JNI layer offers: thin, in arrays of primitives, for classes that are pleasant to use to be built on.
 *
 * <p>Values go both ways in the array of {@link NativeValues}.
 *
 * <p>A module belongs to one thread at a time. Whatever fails throws {@link ExecutorchRuntimeException}.
 */
final class NativeModule {
  private NativeModule() {}

  /** A handle for the others, to be given to {@link #destroy}. {@code dataPaths} may be null. */
  static native long load(String path, String[] dataPaths, int loadMode);

  /** Frees the module; its handle and the buffers that it returned must not be used any more. */
  static native void destroy(long module);

  static native String[] methodNames(long module);

  /** Loads a method, which {@link #execute} does as well. */
  static native void loadMethod(long module, String method);

  /** Names of the backends that parts of a method were lowered to. */
  static native String[] methodBackends(long module, String method);

  /**
   * Runs a method; returns the outputs. The buffers are views of the module's memory: copy what is needed before the method
   * runs again.
   */
  static native Object[] execute(long module, String method, Object[] values);

  /** Threads that kernels and backends use, all modules together; at least 1. */
  static native void setThreads(int threads);

  /** The last lines that the runtime logged in this process. */
  static native String[] logLines();

  /** The backends of this build. */
  static native String[] backendNames();

  /** The operators of this build. */
  static native String[] operatorNames();
}
