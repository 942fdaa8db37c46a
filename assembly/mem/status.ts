// Status codes of kernels: a result >= 0 is success, these are failures. src/wasm/status.ts turns them into errors with texts.

/** Input bytes end before the value they announce. */
export const E_TRUNCATED: i32 = -1;
/** Input bytes break the format; the section is corrupt. */
export const E_CORRUPT: i32 = -2;
/** The region that the host gave is too small; the host may give a larger one and call again. */
export const E_NO_SPACE: i32 = -3;
/** A limit that the host set (work, buckets, clauses) is exceeded. */
export const E_LIMIT: i32 = -4;
/** What was asked for would need too much work on this input. */
export const E_WORK: i32 = -5;
/** A token would end before it starts. */
export const E_OFFSETS: i32 = -6;
/** The host, asked for something, has refused it, and knows why. */
export const E_REFUSED: i32 = -7;
/** A token would stand before the position of the one before it. */
export const E_INCREMENT: i32 = -8;
