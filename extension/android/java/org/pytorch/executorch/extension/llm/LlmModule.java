package org.pytorch.executorch.extension.llm;

import java.io.Closeable;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.pytorch.executorch.ExecuTorchRuntime;
import org.pytorch.executorch.ExecutorchRuntimeException;
import org.pytorch.executorch.annotations.Experimental;

/**
 * A language model with its tokenizer.
 *
 * <pre>{@code
 * try (LlmModule module = new LlmModule("model.pte", "tokenizer.json", 0.8f)) {
 *   module.generate("Once upon a time", 128, text -> System.out.print(text));
 * }
 * }</pre>
 *
 * <p>Every method may be called from any thread; calls of one module run one after the other, but for {@link #stop}, which
 * ends the one that runs. A callback may call {@link #stop} and nothing else of its module. A closed module throws {@link
 * IllegalStateException}.
 *
 * <p>What a model with a cache has heard and said stays, and the next prompt goes on behind it, until {@link
 * #resetContext}.
 */
@Experimental
public class LlmModule implements Closeable {
  /** A model that takes and gives text. */
  public static final int MODEL_TYPE_TEXT = 1;

  /** A model that takes images as well; the same as {@link #MODEL_TYPE_MULTIMODAL}. */
  public static final int MODEL_TYPE_TEXT_VISION = 2;

  /** A model that takes text, images and audio, by methods of their own, and gives text. */
  public static final int MODEL_TYPE_MULTIMODAL = 2;

  private final ReentrantLock lock = new ReentrantLock();
  private final LlmModuleConfig config;

  /** Of the natives; 0 once closed. Changed with the lock and this object's monitor, read with either. */
  private long handle;

  /** A module of a program, a tokenizer and the temperature of runs that do not say another one. */
  public LlmModule(String modulePath, String tokenizerPath, float temperature) {
    this(modulePath, tokenizerPath, temperature, Collections.emptyList());
  }

  /** The same with weights in a {@code .ptd} file. */
  public LlmModule(String modulePath, String tokenizerPath, float temperature, String dataPath) {
    this(modulePath, tokenizerPath, temperature, Collections.singletonList(dataPath));
  }

  /** The same with weights in several {@code .ptd} files. */
  public LlmModule(String modulePath, String tokenizerPath, float temperature, List<String> dataFiles) {
    this(MODEL_TYPE_TEXT, modulePath, tokenizerPath, temperature, dataFiles);
  }

  /** The same of a {@code MODEL_TYPE_…}. */
  public LlmModule(int modelType, String modulePath, String tokenizerPath, float temperature) {
    this(modelType, modulePath, tokenizerPath, temperature, Collections.emptyList());
  }

  /** The same of a {@code MODEL_TYPE_…}, with weights in {@code .ptd} files. */
  public LlmModule(int modelType, String modulePath, String tokenizerPath, float temperature, List<String> dataFiles) {
    this(of(modelType, modulePath, tokenizerPath, temperature, dataFiles));
  }

  /** Reads the tokenizer; the program is loaded by {@link #load} or the first run. */
  public LlmModule(LlmModuleConfig config) {
    ExecuTorchRuntime.getRuntime(); // loads the library
    int type = config.getModelType();
    if (type != MODEL_TYPE_TEXT && type != MODEL_TYPE_MULTIMODAL) {
      throw new IllegalArgumentException(
          "There is no model type " + type + ", only LlmModule.MODEL_TYPE_TEXT and MODEL_TYPE_MULTIMODAL");
    }
    ExecuTorchRuntime.validateFilePath(config.getModulePath(), "model");
    ExecuTorchRuntime.validateFilePath(config.getTokenizerPath(), "tokenizer");
    this.config = config;
    handle =
        NativeLlm.open(
            config.getModulePath(),
            config.getTokenizerPath(),
            config.getDataPaths().toArray(new String[0]),
            type == MODEL_TYPE_MULTIMODAL,
            config.getLoadMode());
  }

  private static LlmModuleConfig of(
      int modelType, String modulePath, String tokenizerPath, float temperature, List<String> dataFiles) {
    LlmModuleConfig.Builder builder =
        LlmModuleConfig.create()
            .modelType(modelType)
            .modulePath(modulePath)
            .tokenizerPath(tokenizerPath)
            .temperature(temperature);
    for (String path : dataFiles) {
      builder.dataPath(path);
    }
    return builder.build();
  }

  /** Loads the program, which the first run does as well. Returns 0, or the number of the runtime's error. */
  public int load() {
    lock();
    try {
      NativeLlm.load(handle);
      return ExecutorchRuntimeException.OK;
    } catch (ExecutorchRuntimeException e) {
      return e.getErrorCode();
    } finally {
      lock.unlock();
    }
  }

  /** Goes on behind a prompt; returns when the answer has ended. */
  public int generate(String prompt, LlmCallback callback) {
    return generate(prompt, defaults().build(), callback);
  }

  /** The same with at most {@code seqLen} tokens of prompt and answer together. */
  public int generate(String prompt, int seqLen, LlmCallback callback) {
    return generate(prompt, defaults().seqLen(seqLen).build(), callback);
  }

  /** The same with or without the prompt first in what the callback is told. */
  public int generate(String prompt, LlmCallback callback, boolean echo) {
    return generate(prompt, defaults().echo(echo).build(), callback);
  }

  /** Both. */
  public int generate(String prompt, int seqLen, LlmCallback callback, boolean echo) {
    return generate(prompt, defaults().seqLen(seqLen).echo(echo).build(), callback);
  }

  /** The same with another temperature. */
  public int generate(String prompt, int seqLen, LlmCallback callback, boolean echo, float temperature) {
    return generate(prompt, defaults().seqLen(seqLen).echo(echo).temperature(temperature).build(), callback);
  }

  /** The same with tokens of begin and end around the prompt. */
  public int generate(
      String prompt, int seqLen, LlmCallback callback, boolean echo, float temperature, int numBos, int numEos) {
    return generate(
        prompt,
        LlmGenerationConfig.create()
            .seqLen(seqLen)
            .echo(echo)
            .temperature(temperature)
            .numBos(numBos)
            .numEos(numEos)
            .build(),
        callback);
  }

  /**
   * Goes on behind a prompt; returns when the answer has ended. Returns 0, or the number of the runtime's error, which the
   * callback is told with its reason. What the callback throws ends the run and is thrown.
   */
  public int generate(String prompt, LlmGenerationConfig config, LlmCallback callback) {
    if (callback == null) {
      throw new IllegalArgumentException("A callback is needed");
    }
    lock();
    try {
      NativeLlm.generate(
          handle,
          prompt,
          config.isEcho(),
          config.getMaxNewTokens(),
          config.isWarming(),
          config.getSeqLen(),
          config.getTemperature(),
          config.getNumBos(),
          config.getNumEos(),
          callback);
      return ExecutorchRuntimeException.OK;
    } catch (ExecutorchRuntimeException e) {
      callback.onError(e.getErrorCode(), e.getMessage());
      return e.getErrorCode();
    } finally {
      lock.unlock();
    }
  }

  /** An image, a prompt and the answer to both; see {@link #prefillImages(int[], int, int, int)}. */
  public int generate(
      int[] image,
      int width,
      int height,
      int channels,
      String prompt,
      int seqLen,
      LlmCallback callback,
      boolean echo) {
    prefillImages(image, width, height, channels);
    return generate(prompt, seqLen, callback, echo);
  }

  /**
   * Text that stands before the next prompt, which may be empty then. It runs with that prompt. Returns 0, as the others
   * below do; what fails is thrown.
   */
  public long prefillPrompt(String prompt) {
    return append(() -> NativeLlm.appendText(handle, prompt));
  }

  /**
   * An image before the next prompt: the rows of its first channel, those of the second and so on, from 0 to 255.
   *
   * @throws IllegalArgumentException for another number of values than the three sizes say.
   * @throws ExecutorchRuntimeException for a model of text.
   */
  public long prefillImages(int[] image, int width, int height, int channels) {
    check(image.length, width, height, channels);
    byte[] bytes = new byte[image.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) image[i];
    }
    return append(() -> NativeLlm.appendImage(handle, bytes, null, width, height, channels));
  }

  /** The same of what remains in a buffer of bytes, which stays as it is. */
  public long prefillImages(ByteBuffer image, int width, int height, int channels) {
    check(image.remaining(), width, height, channels);
    byte[] bytes = new byte[image.remaining()];
    image.duplicate().get(bytes);
    return append(() -> NativeLlm.appendImage(handle, bytes, null, width, height, channels));
  }

  /** The same of an image as its encoder takes it. */
  public long prefillImages(float[] image, int width, int height, int channels) {
    check(image.length, width, height, channels);
    return append(() -> NativeLlm.appendImage(handle, null, image, width, height, channels));
  }

  /** The same of the floats that remain in a buffer of bytes, in the buffer's order, which is to be the native one. */
  public long prefillNormalizedImage(ByteBuffer image, int width, int height, int channels) {
    FloatBuffer values = image.duplicate().order(image.order()).asFloatBuffer();
    check(values.remaining(), width, height, channels);
    float[] floats = new float[values.remaining()];
    values.get(floats);
    return append(() -> NativeLlm.appendImage(handle, null, floats, width, height, channels));
  }

  /** Audio before the next prompt: frames of a spectrogram, by batch and bin. */
  public long prefillAudio(byte[] audio, int batchSize, int nBins, int nFrames) {
    check(audio.length, batchSize, nBins, nFrames);
    return append(() -> NativeLlm.appendAudio(handle, audio, null, batchSize, nBins, nFrames));
  }

  /** The same of floats. */
  public long prefillAudio(float[] audio, int batchSize, int nBins, int nFrames) {
    check(audio.length, batchSize, nBins, nFrames);
    return append(() -> NativeLlm.appendAudio(handle, null, audio, batchSize, nBins, nFrames));
  }

  /** Audio before the next prompt as samples, by batch and channel. */
  public long prefillRawAudio(byte[] audio, int batchSize, int nChannels, int nSamples) {
    check(audio.length, batchSize, nChannels, nSamples);
    return append(() -> NativeLlm.appendRawAudio(handle, audio, null, batchSize, nChannels, nSamples));
  }

  private static void check(int length, int first, int second, int third) {
    if (first <= 0 || second <= 0 || third <= 0 || (long) first * second * third != length) {
      throw new IllegalArgumentException(
          "There are " + length + " values, and the sizes say " + first + " times " + second + " times " + third);
    }
  }

  private long append(Runnable call) {
    lock();
    try {
      call.run();
      return ExecutorchRuntimeException.OK;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the run of another thread, or of the callback that calls, after the token that it is at. */
  public synchronized void stop() {
    if (handle != 0) {
      NativeLlm.stop(handle);
    }
  }

  /** Forgets what was heard and said, and what waits for the next prompt. */
  public void resetContext() {
    lock();
    try {
      NativeLlm.reset(handle);
    } finally {
      lock.unlock();
    }
  }

  /** Frees the model, once a run has ended. Twice does nothing more. */
  @Override
  public void close() {
    refuseCallbacks();
    lock.lock();
    try {
      long freed = handle;
      synchronized (this) {
        handle = 0;
      }
      if (freed != 0) {
        NativeLlm.destroy(freed);
      }
    } finally {
      lock.unlock();
    }
  }

  /** The same as {@link #close}, by the name that applications of earlier releases call. */
  public void resetNative() {
    close();
  }

  private LlmGenerationConfig.Builder defaults() {
    return LlmGenerationConfig.create()
        .temperature(config.getTemperature())
        .numBos(config.getNumBos())
        .numEos(config.getNumEos());
  }

  private void lock() {
    refuseCallbacks();
    lock.lock();
    if (handle == 0) {
      lock.unlock();
      throw new IllegalStateException("The module has been closed");
    }
  }

  private void refuseCallbacks() {
    if (lock.isHeldByCurrentThread()) {
      throw new IllegalStateException("A callback may call stop() and nothing else of its module");
    }
  }
}
