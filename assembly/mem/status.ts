// Status codes of kernels: a result >= 0 is success, these are failures. The host has them in src/wasm/generated/mem.ts and turns them into
// errors with messages.

/** The input breaks the format; the section is corrupt. */
export const E_CORRUPT: i32 = -2;
/** The region supplied by the host is too small; the host may supply a larger one and call again. */
export const E_NO_SPACE: i32 = -3;
/** A limit set by the host (work, buckets, clauses) is exceeded. */
export const E_LIMIT: i32 = -4;
/** The operation would need too much work on this input. */
export const E_WORK: i32 = -5;
/** A token would end before it starts. */
export const E_OFFSETS: i32 = -6;
/** A function of the host, called by a kernel, has thrown; the host holds the error. */
export const E_REFUSED: i32 = -7;
/** The position of a token would be below that of the token before it. */
export const E_INCREMENT: i32 = -8;
/** The analysis chain of a buffer's `errorField` needs a larger region; the document may then be added again. */
export const E_CHAIN: i32 = -16;
