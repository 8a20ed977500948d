// What `forward` costs over the call into WebAssembly that it makes, and bytes of runtimes. PROGRAM, RUNTIMES.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

import { Native, importsOf, systemCalls } from "./node_modules/executorch-wasm/dist/native.js";
import { Module } from "./node_modules/executorch-wasm/dist/module.js";
import { Tensor } from "./node_modules/executorch-wasm/dist/tensor.js";

const wasm = new WebAssembly.Module(readFileSync("node_modules/executorch-wasm/dist/executorch.wasm"));
const instance = new WebAssembly.Instance(
  wasm,
  importsOf(wasm, systemCalls(() => new DataView(instance.exports.memory.buffer), console.error)),
);
instance.exports._initialize();

// The arguments of the last call, which stay in the scratch memory for it to be repeated.
let last;
const execute = instance.exports.et_method_execute;
const native = new Native({
  ...instance.exports,
  et_method_execute: (...given) => {
    last = given;
    return execute(...given);
  },
});
const recorded = new Module(native, readFileSync(process.env.PROGRAM));
const inputs = [Tensor.ones([2, 3]), Tensor.ones([2, 3])];
recorded.forward(inputs);

const module = new Module(new Native(instance.exports), readFileSync(process.env.PROGRAM));
const fastest = (body) => {
  let best = Infinity;
  for (let round = 0; round < 30; round++) {
    const start = process.hrtime.bigint();
    for (let i = 0; i < 2000; i++) body();
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 2000);
  }
  return Math.round(best);
};
const forward = fastest(() => module.forward(inputs));
const call = fastest(() => execute(...last));
const sizes = {};
for (const path of process.env.RUNTIMES.split(":")) {
  const bytes = readFileSync(path);
  sizes[basename(path)] = { bytes: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, brotli: brotliCompressSync(bytes).length };
}
const result = { forward_ns: forward, call_ns: call, over_call_ns: forward - call, sizes };
console.log(`RESULT ${JSON.stringify({ wasm: result })}`);
