package org.pytorch.executorch.training;

import java.io.Closeable;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.pytorch.executorch.DType;
import org.pytorch.executorch.EValue;
import org.pytorch.executorch.ExecuTorchRuntime;
import org.pytorch.executorch.NativeValues;
import org.pytorch.executorch.Tensor;
import org.pytorch.executorch.annotations.Experimental;

/**
 * A program that has been exported with its backward pass, and that learns here.
 *
 * <pre>{@code
 * try (TrainingModule module = TrainingModule.load("xor.pte")) {
 *   module.executeForwardBackward("forward", input, label);
 *   SGD optimizer = SGD.create(module.namedParameters("forward"), 0.1);
 *   optimizer.step(module.namedGradients("forward"));
 * }
 * }</pre>
 *
 * <p>Every method may be called from any thread; calls of one module run one after the other. A destroyed module throws
 * {@link IllegalStateException}.
 */
@Experimental
public class TrainingModule implements Closeable {
  private final ReentrantLock lock = new ReentrantLock();
  private final TrainingMemory memory;

  private TrainingModule(long handle) {
    memory = new TrainingMemory(handle);
  }

  /** Loads the program of a {@code .pte} file whose weights are in it. */
  public static TrainingModule load(String modelPath) {
    return load(modelPath, null);
  }

  /** The same with weights in a {@code .ptd} file; null for none. */
  public static TrainingModule load(String modelPath, String dataPath) {
    ExecuTorchRuntime.getRuntime(); // loads the library
    ExecuTorchRuntime.validateFilePath(modelPath, "model");
    if (dataPath != null) {
      ExecuTorchRuntime.validateFilePath(dataPath, "model's data");
    }
    return new TrainingModule(NativeTraining.load(modelPath, dataPath));
  }

  /** Runs a method forward and backward; returns what it computes, the loss first. The outputs own their memory. */
  public EValue[] executeForwardBackward(String methodName, EValue... inputs) {
    Object[] packed = NativeValues.pack(inputs);
    lock.lock();
    try {
      return NativeValues.unpack(NativeTraining.executeForwardBackward(memory.handle(), methodName, packed));
    } finally {
      lock.unlock();
    }
  }

  /**
   * The parameters of a method by name. They are the module's own memory: who writes to them, as {@link SGD} does, changes
   * the model. It stays as long as one of them does, also when the module is destroyed.
   */
  public Map<String, Tensor> namedParameters(String methodName) {
    return named(methodName, false);
  }

  /** The gradients of the last run, under the names of their parameters; the next run writes over them. */
  public Map<String, Tensor> namedGradients(String methodName) {
    return named(methodName, true);
  }

  /** Nothing runs from now on, and the module's memory is freed as soon as nobody has a tensor of it. */
  public void destroy() {
    lock.lock();
    try {
      memory.close();
    } finally {
      lock.unlock();
    }
  }

  /** The same as {@link #destroy}. */
  @Override
  public void close() {
    destroy();
  }

  /** A tensor of the module's own memory. */
  private Tensor shared(ByteBuffer data, long[] sizes, DType dtype) {
    memory.keepFor(data);
    return Tensor.fromBlob(data, sizes, dtype);
  }

  private Map<String, Tensor> named(String methodName, boolean gradients) {
    lock.lock();
    try {
      Object[] found = NativeTraining.named(memory.handle(), methodName, gradients);
      String[] names = (String[]) found[0];
      EValue[] values = NativeValues.unpack((Object[]) found[1], this::shared);
      Map<String, Tensor> tensors = new HashMap<>();
      for (int i = 0; i < names.length; ++i) {
        tensors.put(names[i], values[i].toTensor());
      }
      return tensors;
    } finally {
      lock.unlock();
    }
  }
}
