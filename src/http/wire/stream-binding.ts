// Internals of node:net below its sockets. Node does not guarantee them: callers need an alternative if something is missing.

/** Request object of one write; reused if the system accepted everything at once. */
export interface WriteWrap {
  oncomplete?: (status: number) => void;
  /** keeps the memory alive until it is written */
  held?: Buffer | readonly unknown[];
}

interface StreamBinding {
  WriteWrap: new () => WriteWrap;
  /** details of the last call or event of a handle */
  streamBaseState: Int32Array;
  kLastWriteWasAsync: number;
  kReadBytesOrError: number;
  kArrayBufferOffset: number;
}

/** Undefined if the internals of this Node differ. */
export function loadStreamBinding(): StreamBinding | undefined {
  try {
    const found = (process as unknown as { binding(name: string): Partial<StreamBinding> }).binding('stream_wrap');
    const indices = [found.kLastWriteWasAsync, found.kReadBytesOrError, found.kArrayBufferOffset];
    const known = typeof found.WriteWrap === 'function' && found.streamBaseState && indices.every((index) => typeof index === 'number');
    return known ? (found as StreamBinding) : undefined;
  } catch {
    return undefined;
  }
}
