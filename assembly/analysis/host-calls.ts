// What the host makes of terms and tokens: filters that need it (regular expressions, dictionaries of megabytes, scripts) ask by the filter's number. Kernels
// remember the answers (filters/rewrite/term-cache.ts), so that the host is asked once for a word, not once for a token.
//   answer ├─ len u32 ─┬─ term ─┤ × count

/**
 * Asks a filter of the host (src/wasm/host-calls.ts).
 * @returns bytes of the answer at `outPtr`, 0 for none; E_NO_SPACE, E_REFUSED
 */
// @ts-ignore: decorator
@external("env", "hostTerms")
export declare function hostTerms(filter: u32, termPtr: usize, termLen: u32, outPtr: usize, outBytes: usize): i32;

/**
 * Asks a script of the host about a batch of tokens.
 * @param outPtr    takes a byte for each: 1 if the answer is true
 * @param position  one more than that of the token before, counted by the stage that asks
 * @returns 0 or E_REFUSED
 */
// @ts-ignore: decorator
@external("env", "hostVerdicts")
export declare function hostVerdicts(filter: u32, tokensPtr: usize, count: u32, outPtr: usize, position: u32): i32;
