package org.pytorch.executorch;

import java.io.Closeable;
import java.util.concurrent.locks.ReentrantLock;
import org.pytorch.executorch.annotations.Experimental;

/**
 * A program and its methods.
 *
 * <pre>{@code
 * try (Module module = Module.load(path)) {
 *   Tensor input = Tensor.fromBlob(new float[] {1, 2, 3}, new long[] {1, 3});
 *   float[] scores = module.forward(EValue.from(input))[0].toTensor().getDataAsFloatArray();
 * }
 * }</pre>
 *
 * <p>Every method may be called from any thread; calls of one module run one after the other. Different modules run
 * beside each other. What the runtime refuses throws {@link ExecutorchRuntimeException}; a destroyed module throws {@link
 * IllegalStateException}.
 */
@Experimental
public class Module implements Closeable {
  /** Reads the file into memory. */
  public static final int LOAD_MODE_FILE = 0;

  /** Maps the file, which must not change while the module lives. */
  public static final int LOAD_MODE_MMAP = 1;

  /** Maps the file and keeps it in memory; fails where the system does not allow that. */
  public static final int LOAD_MODE_MMAP_USE_MLOCK = 2;

  /** Maps the file and keeps it in memory if the system allows that. */
  public static final int LOAD_MODE_MMAP_USE_MLOCK_IGNORE_ERRORS = 3;

  /** Where {@link #etdump()} writes to. */
  private static final String ETDUMP = "/data/local/tmp/result.etdump";

  private final ReentrantLock lock = new ReentrantLock();

  /** Of the natives; 0 once destroyed. Guarded by the lock. */
  private long handle;

  private Module(long handle) {
    this.handle = handle;
  }

  /** Reads the program of a {@code .pte} file into memory. */
  public static Module load(String modelPath) {
    return load(modelPath, LOAD_MODE_FILE);
  }

  /** Loads a {@code .pte} file; {@code loadMode} is a {@code LOAD_MODE_…}. */
  public static Module load(String modelPath, int loadMode) {
    return load(modelPath, loadMode, 0);
  }

  /**
   * The same, and sets how many threads kernels and backends of this process use from now on; 0 leaves that as it is. Do
   * it before other modules run.
   */
  public static Module load(String modelPath, int loadMode, int numThreads) {
    return load(modelPath, null, loadMode, numThreads);
  }

  /** The same with weights that lie outside of the program, in {@code .ptd} files. */
  public static Module load(String modelPath, String[] dataPaths, int loadMode, int numThreads) {
    ExecuTorchRuntime.getRuntime(); // loads the library
    ExecuTorchRuntime.validateFilePath(modelPath, "model");
    if (loadMode < LOAD_MODE_FILE || loadMode > LOAD_MODE_MMAP_USE_MLOCK_IGNORE_ERRORS) {
      throw new IllegalArgumentException("There is no load mode " + loadMode + "; they are the constants Module.LOAD_MODE_…");
    }
    if (numThreads < 0) {
      throw new IllegalArgumentException("A module cannot use " + numThreads + " threads; 0 leaves their number as it is");
    }
    if (numThreads > 0) {
      NativeModule.setThreads(numThreads);
    }
    return new Module(NativeModule.load(modelPath, dataPaths, loadMode));
  }

  /** Runs the method {@code forward}. */
  public EValue[] forward(EValue... inputs) {
    return execute("forward", inputs);
  }

  /**
   * Runs a method, and loads it if it is not loaded. {@code inputs} are all of its inputs, in order; the outputs own their
   * memory.
   */
  public EValue[] execute(String methodName, EValue... inputs) {
    Object[] packed = NativeValues.pack(inputs);
    lock.lock();
    try {
      // The outputs are copied before another call can write over them.
      return NativeValues.unpack(NativeModule.execute(alive(), methodName, packed));
    } finally {
      lock.unlock();
    }
  }

  /** Loads a method, so that its first run is as fast as the others. Returns 0, or the number of the runtime's error. */
  public int loadMethod(String methodName) {
    lock.lock();
    try {
      NativeModule.loadMethod(alive(), methodName);
      return ExecutorchRuntimeException.OK;
    } catch (ExecutorchRuntimeException e) {
      return e.getErrorCode();
    } finally {
      lock.unlock();
    }
  }

  /** Names of the program's methods. */
  public String[] getMethods() {
    lock.lock();
    try {
      return NativeModule.methodNames(alive());
    } finally {
      lock.unlock();
    }
  }

  /** What the program says of a method; it is not loaded for that. */
  public MethodMetadata getMethodMetadata(String methodName) {
    lock.lock();
    try {
      return new MethodMetadata(methodName, NativeModule.methodBackends(alive(), methodName));
    } finally {
      lock.unlock();
    }
  }

  /** The last lines that the runtime logged in this process, oldest first; no module is needed for it. */
  public static String[] readLogBufferStatic() {
    ExecuTorchRuntime.getRuntime();
    return NativeModule.logLines();
  }

  /** The last lines that the runtime logged in this process, oldest first. */
  public String[] readLogBuffer() {
    return readLogBufferStatic();
  }

  /**
   * Writes what this module's methods have done to {@code /data/local/tmp/result.etdump}, as {@link #etdump(String)}
   * does.
   */
  public boolean etdump() {
    return etdump(ETDUMP);
  }

  /**
   * Writes what this module's methods have done since they were loaded or last written, with its times, for the developer
   * tools' Inspector. Returns whether it did: false where the native library has not been built for it, where nothing has
   * happened, or where the file cannot be written, which {@link #readLogBuffer} tells then.
   */
  public boolean etdump(String path) {
    lock.lock();
    try {
      NativeEtdump.write(alive(), path);
      return true;
    } catch (UnsatisfiedLinkError | ExecutorchRuntimeException e) {
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Frees the program, once a call that is running has ended. Twice does nothing more. */
  public void destroy() {
    lock.lock();
    try {
      long freed = handle;
      handle = 0;
      if (freed != 0) {
        NativeModule.destroy(freed);
      }
    } finally {
      lock.unlock();
    }
  }

  /** The same as {@link #destroy}. */
  @Override
  public void close() {
    destroy();
  }

  private long alive() {
    if (handle == 0) {
      throw new IllegalStateException("The module has been destroyed");
    }
    return handle;
  }
}
