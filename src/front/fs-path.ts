// Paths as latin1 strings, one character per byte, as they occur in configurations and URIs.

const ASCII = /^[\x00-\x7f]*$/;

/** Converts a latin1 path so that node:fs uses exactly these bytes. */
export function fsPath(name: string): string | Buffer {
  return ASCII.test(name) ? name : Buffer.from(name, 'latin1');
}
