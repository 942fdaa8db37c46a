// Why answers differ from those of a peer on purpose, or as far as is known.
import type { Difference, PeerAnswer } from './compare.ts';
import type { PeerRequest } from './scenario.ts';

interface Rule {
  readonly reason: string;
  readonly applies: (request: PeerRequest, difference: Difference, expected: PeerAnswer, actual: PeerAnswer) => boolean;
}

const isError = ({ status }: PeerAnswer): boolean => status >= 400;

const RULES: readonly Rule[] = [
  {
    reason: 'the peer fails with an error of its own (5xx), the service refuses the request',
    applies: (_request, _difference, expected, actual) => expected.status >= 500 && isError(actual) && actual.status < 500,
  },
  {
    reason: 'the text of an error is worded otherwise; its status and type are equal',
    applies: (_request, { path }, expected, actual) => isError(expected) && isError(actual) && /\.reason$|^body\.error$/.test(path),
  },
];

/** null if no rule applies. */
export function reasonOf(request: PeerRequest, difference: Difference, expected: PeerAnswer, actual: PeerAnswer): string | null {
  return RULES.find(({ applies }) => applies(request, difference, expected, actual))?.reason ?? null;
}
