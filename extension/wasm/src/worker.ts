// One of a pool's workers: an instance of the runtime with one program, which answers one call after the other.
import loadExecuTorch from "./index.js";
import { type Answer, type Call, type Start, failureOf, pack, unpack } from "./messages.js";
import type { Module } from "./module.js";

const answer = (message: Answer): void => self.postMessage(message);

async function start({ wasm, program, weights }: Start): Promise<Module> {
  const et = await loadExecuTorch({ wasm });
  return et.Module.load(program as Uint8Array<ArrayBuffer>, weights as Uint8Array<ArrayBuffer> | undefined);
}

let module: Module | undefined;

self.addEventListener("message", async ({ data }: MessageEvent<Start | Call>) => {
  try {
    if ("program" in data) {
      module = await start(data);
      answer({ outputs: [] });
    } else {
      answer({ outputs: module!.execute(data.method, data.inputs.map(unpack)).map(pack) });
    }
  } catch (error) {
    answer({ error: failureOf(error) });
  }
});
