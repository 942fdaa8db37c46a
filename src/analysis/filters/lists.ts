// What filters over whole token lists on the host share.
import type { TokenFilter } from '../component.ts';
import type { Token } from '../token-stream.ts';

/** A filter on the host from a function over the tokens; holes that removed tokens leave are the function's business. */
export function listFilter(apply: (tokens: Token[]) => Token[]): TokenFilter {
  return { kind: 'host', apply: (stream) => ({ ...stream, tokens: apply(stream.tokens) }) };
}
