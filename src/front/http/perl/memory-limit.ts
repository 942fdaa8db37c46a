// Limits the memory of WebAssembly modules: the maximum of a module's own memory is part of its bytes, so it is written there.

const PAGE_BYTES = 65536;
const MEMORY_SECTION = 5;

/** A LEB128 number. @returns its value and where it ends */
function readNumber(bytes: Uint8Array, at: number): { value: number; end: number } {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    if (byte === undefined || shift > 28) throw new Error('malformed WebAssembly module');
    value |= (byte & 127) << shift;
    if (byte < 128) return { value: value >>> 0, end: at };
  }
}

function writeNumber(value: number): number[] {
  const bytes: number[] = [];
  for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128);
  bytes.push(value);
  return bytes;
}

/** A module whose memory grows to `maxBytes` at most, or to its initial size if that is larger. @throws Error it is not a module */
function withMemoryLimit(module: Uint8Array, maxBytes: number): Uint8Array<ArrayBuffer> {
  for (let at = 8; at < module.length; ) {
    const id = module[at];
    const size = readNumber(module, at + 1);
    const next = size.end + size.value;
    if (id !== MEMORY_SECTION) {
      at = next;
      continue;
    }
    const count = readNumber(module, size.end);
    const flags = module[count.end];
    if (count.value !== 1 || flags > 1) break;
    const initial = readNumber(module, count.end + 1);
    const pages = Math.max(initial.value, Math.floor(maxBytes / PAGE_BYTES));
    const body = [1, 1, ...writeNumber(initial.value), ...writeNumber(pages)];
    return new Uint8Array(
      Buffer.concat([
        module.subarray(0, at),
        Uint8Array.from([MEMORY_SECTION, ...writeNumber(body.length), ...body]),
        module.subarray(next),
      ]),
    );
  }
  throw new Error('WebAssembly module without a memory of its own');
}

type Instantiate = (source: ArrayBuffer | Uint8Array, imports?: unknown) => Promise<unknown>;

/** Applies a limit to all modules that this thread instantiates from bytes from now on. */
export function limitMemory(maxBytes: number): void {
  const instantiate: Instantiate = Reflect.get(WebAssembly, 'instantiate');
  const limited: Instantiate = (source, imports) => instantiate(withMemoryLimit(new Uint8Array(source), maxBytes), imports);
  Object.defineProperty(WebAssembly, 'instantiate', { value: limited, configurable: true, writable: true });
}
