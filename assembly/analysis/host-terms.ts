// What the host makes of a term: filters that need it (regular expressions, dictionaries of megabytes, scripts) ask by the filter's number. Kernels
// remember the answers (filters/term-cache.ts), so that the host is asked once for a word, not once for a token.
//   answer ├─ len u32 ─┬─ term ─┤ × count

/**
 * Asks a filter of the host (src/wasm/host-terms.ts).
 * @returns bytes of the answer at `outPtr`, 0 for none; E_NO_SPACE, E_REFUSED
 */
// @ts-ignore: decorator
@external("env", "hostTerms")
export declare function hostTerms(filter: u32, termPtr: usize, termLen: u32, outPtr: usize, outBytes: usize): i32;
