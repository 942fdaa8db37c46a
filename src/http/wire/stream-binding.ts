// Internals of node:net below its sockets. Node does not guarantee them: callers need an alternative if something is missing.

/** Request object of one write; reused if the system accepted everything at once. */
export interface WriteWrap {
  oncomplete?: (status: number) => void;
  /** keeps the memory alive until it is written */
  held?: Buffer | readonly unknown[];
}

interface StreamBinding {
  WriteWrap: new () => WriteWrap;
  ShutdownWrap?: new () => { oncomplete?: (status: number) => void };
  /** details of the last call or event of a handle */
  streamBaseState: Int32Array;
  kLastWriteWasAsync: number;
  kReadBytesOrError: number;
  kArrayBufferOffset: number;
}

/** Undefined if the internals of this Node differ. */
export function loadStreamBinding(): StreamBinding | undefined {
  try {
    const found = internalsOf<{ binding(name: string): Partial<StreamBinding> }>(process).binding?.('stream_wrap');
    if (!found) return undefined;
    const indices = [found.kLastWriteWasAsync, found.kReadBytesOrError, found.kArrayBufferOffset];
    const known = typeof found.WriteWrap === 'function' && found.streamBaseState && indices.every((index) => typeof index === 'number');
    return known ? (found as StreamBinding) : undefined;
  } catch {
    return undefined;
  }
}

/** Undocumented members of an object of Node's, all of which may be missing. The only cast to them. */
export const internalsOf = <T>(object: object): Partial<T> => object as Partial<T>;
