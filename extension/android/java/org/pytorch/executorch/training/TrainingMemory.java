package org.pytorch.executorch.training;

import java.nio.ByteBuffer;

/** A module of the natives, which stays until it is closed and nobody can reach its memory any more. */
final class TrainingMemory {
  private final long handle;
  private int views;
  private boolean closed;

  TrainingMemory(long handle) {
    this.handle = handle;
  }

  /** For natives. */
  synchronized long handle() {
    if (closed) {
      throw new IllegalStateException("The module has been destroyed");
    }
    return handle;
  }

  /** Has the module stay as long as the buffer does, which is a view of its memory, or one that was made of it. */
  void keepFor(ByteBuffer view) {
    synchronized (this) {
      ++views;
    }
    Reclaimer.whenUnreachable(view, this::viewIsGone);
  }

  /** Nothing runs from now on. Twice does nothing more. */
  void close() {
    Reclaimer.run();
    synchronized (this) {
      if (!closed) {
        closed = true;
        freeIfUnused();
      }
    }
  }

  private synchronized void viewIsGone() {
    --views;
    freeIfUnused();
  }

  private void freeIfUnused() {
    if (closed && views == 0) {
      NativeTraining.destroy(handle);
    }
  }
}
