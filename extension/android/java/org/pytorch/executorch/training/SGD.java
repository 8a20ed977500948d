package org.pytorch.executorch.training;

import java.util.HashMap;
import java.util.Map;
import org.pytorch.executorch.EValue;
import org.pytorch.executorch.ExecuTorchRuntime;
import org.pytorch.executorch.NativeValues;
import org.pytorch.executorch.Tensor;
import org.pytorch.executorch.annotations.Experimental;

/** Stochastic gradient descent, step by step what {@code torch.optim.SGD} does. One call at a time, from any thread. */
@Experimental
public final class SGD {
  private final long handle;

  /** Whose memory the natives write to. */
  private final Map<String, Tensor> parameters;

  private long steps;

  private SGD(Map<String, Tensor> parameters, double[] settings, boolean nesterov) {
    ExecuTorchRuntime.getRuntime(); // loads the library
    this.parameters = new HashMap<>(parameters);
    String[] names = names(this.parameters);
    Object[] packed = packed(this.parameters, names);
    long made = NativeTraining.createSgd(names, packed, settings, nesterov);
    handle = made;
    Reclaimer.whenUnreachable(this, () -> NativeTraining.destroySgd(made));
  }

  /** An optimizer of parameters, which are those of {@link TrainingModule#namedParameters}. */
  public static SGD create(
      Map<String, Tensor> namedParameters,
      double learningRate,
      double momentum,
      double dampening,
      double weightDecay,
      boolean nesterov) {
    return new SGD(namedParameters, new double[] {learningRate, momentum, dampening, weightDecay}, nesterov);
  }

  /** The same with a learning rate alone. */
  public static SGD create(Map<String, Tensor> namedParameters, double learningRate) {
    return create(namedParameters, learningRate, 0, 0, 0, false);
  }

  /**
   * Changes each parameter that has a gradient. {@link org.pytorch.executorch.ExecutorchInvalidArgumentException}, before
   * anything is changed, if a gradient does not belong to its parameter.
   */
  public synchronized void step(Map<String, Tensor> namedGradients) {
    String[] names = names(namedGradients);
    Object[] packed = packed(namedGradients, names);
    NativeTraining.step(handle, names, packed);
    // Until here, this object is in use, and with it the parameters' memory.
    ++steps;
  }

  private static String[] names(Map<String, Tensor> tensors) {
    return tensors.keySet().toArray(new String[0]);
  }

  private static Object[] packed(Map<String, Tensor> tensors, String[] names) {
    EValue[] values = new EValue[names.length];
    for (int i = 0; i < names.length; ++i) {
      values[i] = EValue.from(tensors.get(names[i]));
    }
    return NativeValues.pack(values);
  }
}
