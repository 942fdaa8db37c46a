// Fast paths of Node's Buffer that @types/node omits: toString('latin1', start, end) and write(text, at, 'latin1').
declare global {
  interface Buffer {
    latin1Slice(start?: number, end?: number): string;
    latin1Write(text: string, at?: number, length?: number): number;
  }
}

export {};
