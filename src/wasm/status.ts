// What kernels answer instead of a count, everywhere the same.

/** Statuses of kernels, see assembly/mem/status.ts and assembly/buffer/document.ts. */
export const STATUS = {
  truncated: -1,
  corrupt: -2,
  noSpace: -3,
  limit: -4,
  work: -5,
  offsets: -6,
  refused: -7,
  increment: -8,
  chain: -16,
} as const;
