// Paths as strings of latin1, one character per byte, as they appear in configurations and URIs.

const ASCII = /^[\x00-\x7f]*$/;

/** A latin1 path for node:fs: bytes as they are on disk. */
export function fsPath(name: string): string | Buffer {
  return ASCII.test(name) ? name : Buffer.from(name, 'latin1');
}
