// What node:net works with below its sockets. Nothing here is promised by Node: who uses it has another way where something is missing.
/** Request object of one write; used again when the system took all at once. */
export interface WriteWrap {
  oncomplete?: (status: number) => void;
  /** keeps the memory until it is written */
  held?: Buffer | readonly unknown[];
}

interface StreamBinding {
  WriteWrap: new () => WriteWrap;
  /** what the last call or event of a handle was about */
  streamBaseState: Int32Array;
  kLastWriteWasAsync: number;
  kReadBytesOrError: number;
  kArrayBufferOffset: number;
}

/** undefined: this Node has other insides */
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
