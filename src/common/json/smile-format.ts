// SMILE, the binary form of JSON that Jackson reads and writes, for request and response bodies: what its reader and its writer share.
// Source: the Smile format specification 1.0.

/** `:)` and a line feed; the flags follow. */
export const HEADER = [0x3a, 0x29, 0x0a];
export const SHARES_NAMES = 1;
/** Names and strings that can be referred to. */
export const MAX_SHARED = 1024;
export const END_OF_STRING = 0xfc;
