/** The bytes behind an address. Node's `fetch` has no files. */
export async function read(address: URL | string): Promise<BufferSource> {
  const url = new URL(address, import.meta.url);
  if (url.protocol === "file:") {
    const files: { readFile(path: URL): Promise<Uint8Array<ArrayBuffer>> } = await import("node:fs/promises" as string);
    return files.readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) {
    throw new Error(`${url}: ${response.status} ${response.statusText}`);
  }
  return response.arrayBuffer();
}

/** A WebAssembly module: itself, its bytes, or where they are. */
export async function compiled(wasm: URL | string | BufferSource | WebAssembly.Module): Promise<WebAssembly.Module> {
  if (wasm instanceof WebAssembly.Module) {
    return wasm;
  }
  return WebAssembly.compile(typeof wasm === "string" || wasm instanceof URL ? await read(wasm) : wasm);
}
