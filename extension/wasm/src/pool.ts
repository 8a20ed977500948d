import { compiled, read } from "./loading.js";
import { type Answer, type Call, type Start, errorOf, pack, unpack } from "./messages.js";
import type { EValue } from "./module.js";

export interface PoolOptions {
  /** The WebAssembly module, as for `loadExecuTorch`. */
  readonly wasm?: URL | string | BufferSource | WebAssembly.Module;
  /** The `.ptd` file that the program was exported with, if any: its bytes, or where it is. */
  readonly weights?: BufferSource | URL | string;
  /** How many workers; by default one for each processor but one, four at most. */
  readonly workers?: number;
}

/** The most workers without being asked: each has the program, and memory of its own. */
const MOST = 4;

/** Bytes for all workers: where a page is cross-origin isolated they are there once, elsewhere each worker gets a copy. */
async function shared(source: BufferSource | URL | string): Promise<Uint8Array> {
  const found = typeof source === "string" || source instanceof URL ? await read(source) : source;
  const bytes = ArrayBuffer.isView(found)
    ? new Uint8Array(found.buffer, found.byteOffset, found.byteLength)
    : new Uint8Array(found);
  if (!globalThis.crossOriginIsolated) {
    return bytes;
  }
  const common = new Uint8Array(new SharedArrayBuffer(bytes.length));
  common.set(bytes);
  return common;
}

interface Waiting {
  readonly message: Start | Call;
  readonly resolve: (outputs: EValue[]) => void;
  readonly reject: (reason: Error) => void;
}

/** One worker, which has at most one call. */
class Seat {
  #waiting: Waiting | undefined;
  readonly #worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });

  constructor(free: (seat: Seat) => void) {
    this.#worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      const { resolve, reject } = this.#waiting!;
      this.#waiting = undefined;
      if ("error" in data) {
        reject(errorOf(data.error));
      } else {
        resolve(data.outputs.map(unpack));
      }
      free(this);
    };
    this.#worker.onerror = ({ message }) => this.end(`The worker ended: ${message || "its module was not found"}`);
  }

  run(waiting: Waiting): void {
    this.#waiting = waiting;
    try {
      this.#worker.postMessage(waiting.message);
    } catch (error) {
      this.#waiting = undefined;
      throw error;
    }
  }

  end(reason: string): void {
    this.#worker.terminate();
    this.#waiting?.reject(new Error(reason));
    this.#waiting = undefined;
  }
}

/**
 * A program in several workers: calls are promises, the page draws meanwhile, and calls that are made together
 * run beside each other. State that a program keeps between calls is each worker's own.
 */
export class ModulePool {
  readonly #free: Seat[] = [];
  readonly #seats: Seat[] = [];
  readonly #queue: Waiting[] = [];
  #isDisposed = false;

  private constructor(workers: number) {
    for (let i = 0; i < workers; i++) {
      this.#seats.push(
        new Seat((seat) => {
          this.#free.push(seat);
          this.#next();
        }),
      );
    }
  }

  /** Starts the workers and loads the program in each: its bytes, or where it is. */
  static async load(program: BufferSource | URL | string, options: PoolOptions = {}): Promise<ModulePool> {
    if (typeof Worker === "undefined") {
      throw new Error("A pool needs the workers of browsers: here, use `Module`");
    }
    const workers = options.workers ?? Math.min(MOST, Math.max(1, (navigator.hardwareConcurrency || 2) - 1));
    if (!Number.isInteger(workers) || workers < 1) {
      throw new RangeError(`A pool has at least one worker, found ${workers}`);
    }
    const message: Start = {
      wasm: await compiled(options.wasm ?? new URL("./executorch.wasm", import.meta.url)),
      program: await shared(program),
      weights: options.weights === undefined ? undefined : await shared(options.weights),
    };
    const pool = new ModulePool(workers);
    try {
      await Promise.all(
        pool.#seats.map((seat) => new Promise((resolve, reject) => seat.run({ message, resolve, reject }))),
      );
    } catch (error) {
      pool.dispose();
      throw error;
    }
    return pool;
  }

  get workers(): number {
    return this.#seats.length;
  }

  /** Runs a method in the next worker that is free. Inputs are copied. */
  execute(method: string, inputs: EValue | readonly EValue[] = []): Promise<EValue[]> {
    return new Promise((resolve, reject) => {
      if (this.#isDisposed) {
        throw new Error("This pool was disposed of");
      }
      const values = Array.isArray(inputs) ? (inputs as readonly EValue[]) : [inputs as EValue];
      this.#queue.push({ message: { method, inputs: values.map(pack) }, resolve, reject });
      this.#next();
    });
  }

  forward(inputs: EValue | readonly EValue[] = []): Promise<EValue[]> {
    return this.execute("forward", inputs);
  }

  /** Ends the workers; calls that have no answer yet are rejected. */
  dispose(): void {
    this.#isDisposed = true;
    this.#free.length = 0;
    const reason = "This pool was disposed of";
    this.#seats.forEach((seat) => seat.end(reason));
    this.#queue.splice(0).forEach(({ reject }) => reject(new Error(reason)));
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #next(): void {
    while (this.#queue.length > 0 && this.#free.length > 0) {
      const seat = this.#free.pop()!;
      const waiting = this.#queue.shift()!;
      try {
        seat.run(waiting);
      } catch (error) {
        this.#free.push(seat);
        waiting.reject(error as Error);
      }
    }
  }
}
