// Node's Buffer has these fast paths of toString('latin1', start, end) and write(text, at, 'latin1'); @types/node leaves them out.
declare global {
  interface Buffer {
    latin1Slice(start?: number, end?: number): string;
    latin1Write(text: string, at?: number, length?: number): number;
  }
}

export {};
