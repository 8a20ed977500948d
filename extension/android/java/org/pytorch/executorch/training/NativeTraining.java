package org.pytorch.executorch.training;

import org.pytorch.executorch.NativeValues;

/**
 * What the JNI layer offers for training. Values go both ways in the array of {@link NativeValues}; whatever fails throws
 * {@link org.pytorch.executorch.ExecutorchRuntimeException}. Modules and optimizers belong to one thread at a time.
 */
final class NativeTraining {
  private NativeTraining() {}

  /** A handle for the others, to be given to {@link #destroy}. {@code dataPath} may be null. */
  static native long load(String path, String dataPath);

  /** Frees the module, with the memory of its parameters and gradients. */
  static native void destroy(long module);

  /** Runs a method; returns the results in front of the gradients, as views of the module's memory. */
  static native Object[] executeForwardBackward(long module, String method, Object[] values);

  /** {@code {String[] names, Object[] values}} of the gradients or the parameters, which are views of the module's memory. */
  static native Object[] named(long module, String method, boolean gradients);

  /**
   * An optimizer of the parameters, whose memory has to stay; {@code settings} are learning rate, momentum, dampening and
   * weight decay. To be given to {@link #destroySgd}.
   */
  static native long createSgd(String[] names, Object[] values, double[] settings, boolean nesterov);

  /** Changes the parameters that have a gradient. */
  static native void step(long optimizer, String[] names, Object[] values);

  /** Frees the optimizer. */
  static native void destroySgd(long optimizer);
}
