// Bounds the memory that the values of a request body take once they are parsed: many times the size of the body if it consists of small values.

/** Estimated bytes of parsed values beyond which a body is refused. A thread's heap is 768 MB by default. */
export const MAX_VALUE_BYTES = 192 * 2 ** 20;

/** Estimated bytes on V8's heap, rounded up. */
export const VALUE_BYTES = { object: 64, list: 32, item: 16, member: 40 } as const;

export const TOO_MANY_VALUES = `The values would take more memory than the maximum allowed (${MAX_VALUE_BYTES} bytes)`;
