// Why answers differ from those of a peer on purpose, or as far as is known.
import type { Difference, PeerAnswer } from './compare.ts';
import type { PeerRequest } from './scenario.ts';

interface Rule {
  readonly reason: string;
  readonly applies: (request: PeerRequest, difference: Difference, expected: PeerAnswer, actual: PeerAnswer) => boolean;
}

const isError = ({ status }: PeerAnswer): boolean => status >= 400;

const UNKNOWN =
  /Unknown aggregation type|unknown query|Unknown analyzer|failed to find global|No handler for type|no handler found|not been configured|unsupported_operation/;

const RULES: readonly Rule[] = [
  {
    reason: 'the peer was started without the module that the request needs',
    applies: (_request, _difference, expected, actual) => isError(expected) && UNKNOWN.test(expected.text) && !UNKNOWN.test(actual.text),
  },
  {
    reason: 'explanations describe queries and their parts in other words',
    applies: ({ line }, { path }) => /_explain\//.test(line) && /description|details/.test(path),
  },
  {
    reason: 'a value for missing IP addresses is an address; the peer sorts by the bytes of its text',
    applies: ({ body }, _difference, expected, actual) =>
      /"ip":\{[^}]*"missing":/.test(JSON.stringify(body)) &&
      (!isError(expected) || /format bytes as IP/.test(expected.text)) &&
      !(isError(actual) && actual.status >= 500),
  },
  {
    reason: 'two bounds on one side of a range are refused',
    applies: (_request, _difference, expected, actual) =>
      !isError(expected) && /invalid (lower|upper) bound for \[range\]/.test(actual.text),
  },
  {
    reason: 'system indices and features of nodes are not shown in the cluster state',
    applies: (_request, { path }) => /nodes_versions|nodes_features/.test(path),
  },
  {
    reason: 'the node of each hit has its own id',
    applies: (_request, { path }) => /\.hits\.\d+\._node$/.test(path),
  },
  {
    reason: 'numbers of documents depend on when segments are written and merged',
    applies: ({ body }, { path }) => /"_doc"\]/.test(JSON.stringify(body)) && /\.hits\.\d+\.sort\.\d+$/.test(path),
  },
  {
    reason: 'wildcards in destructive requests are permitted, as before version 8',
    applies: (_request, _difference, expected) => expected.text.includes('Wildcard expressions or all indices are not allowed'),
  },
  {
    reason: 'the peer fails with an error of its own (5xx), the service refuses the request',
    applies: (_request, _difference, expected, actual) => expected.status >= 500 && isError(actual) && actual.status < 500,
  },
  {
    reason: 'the text of an error is worded otherwise; its status and type are equal',
    applies: (_request, { path }, expected, actual) =>
      (isError(expected) && isError(actual) && /\.reason$|^body\.error$/.test(path)) ||
      /^body\.items\.\d+\.\w+\.error(\.caused_by)*\.reason$/.test(path),
  },
];

/** null if no rule applies. */
export function reasonOf(request: PeerRequest, difference: Difference, expected: PeerAnswer, actual: PeerAnswer): string | null {
  return RULES.find(({ applies }) => applies(request, difference, expected, actual))?.reason ?? null;
}
