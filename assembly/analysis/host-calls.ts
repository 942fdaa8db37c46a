// Functions of the host that kernels call, by a filter's number, for what needs the host: regular expressions, dictionaries of megabytes, scripts.
// Kernels cache the answers (filters/rewrite/term-cache.ts), so that the host is called once per distinct word, not once per token.
//   answer ├─ len u32 ─┬─ term ─┤ × count

/**
 * Calls a filter of the host (src/wasm/host-calls.ts) with a term.
 * @returns the size of the answer written to `outPtr`, 0 for none; E_NO_SPACE or E_REFUSED
 */
// @ts-ignore: decorator
@external("env", "hostTerms")
export declare function hostTerms(filter: u32, termPtr: usize, termLen: u32, outPtr: usize, outBytes: usize): i32;

/**
 * Calls a script of the host with a batch of tokens.
  * @param outPtr   receives a byte per token: 1 if the script returns true
  * @param position position of the previous token, plus 1, counted by the calling stage
 * @returns 0 or E_REFUSED
 */
// @ts-ignore: decorator
@external("env", "hostVerdicts")
export declare function hostVerdicts(filter: u32, tokensPtr: usize, count: u32, outPtr: usize, position: u32): i32;
