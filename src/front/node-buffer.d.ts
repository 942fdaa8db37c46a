// Node's Buffer has this fast path of toString('latin1', start, end); @types/node leaves it out.
declare global {
  interface Buffer {
    latin1Slice(start?: number, end?: number): string;
  }
}

export {};
