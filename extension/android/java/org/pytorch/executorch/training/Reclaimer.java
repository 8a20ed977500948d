package org.pytorch.executorch.training;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.HashSet;
import java.util.Set;

/** Runs actions for objects that nobody can reach any more, whenever it is asked to. */
final class Reclaimer {
  private static final ReferenceQueue<Object> QUEUE = new ReferenceQueue<>();

  /** The references themselves have to be reachable until they are enqueued. Guarded by itself. */
  private static final Set<Watched> WATCHED = new HashSet<>();

  private Reclaimer() {}

  private static final class Watched extends PhantomReference<Object> {
    private final Runnable action;

    Watched(Object referent, Runnable action) {
      super(referent, QUEUE);
      this.action = action;
    }
  }

  /** Has {@link #run} run {@code action}, which must not refer to {@code referent}, once that is gone. */
  static void whenUnreachable(Object referent, Runnable action) {
    run();
    synchronized (WATCHED) {
      WATCHED.add(new Watched(referent, action));
    }
  }

  /** Runs the actions of the objects that are gone. */
  static void run() {
    for (Reference<?> gone = QUEUE.poll(); gone != null; gone = QUEUE.poll()) {
      synchronized (WATCHED) {
        WATCHED.remove(gone);
      }
      ((Watched) gone).action.run();
    }
  }
}
