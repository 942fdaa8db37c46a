// The table of docs/internals/front-compared.md: requests of doubtful form on which the front, nginx and node:http disagree.
import { DISAGREEMENTS } from '../../test/fuzz/front/shapes.ts';
import { row, table } from './markdown.ts';

/** `22`: two responses of class 2xx; empty: the connection closes without a response. */
function statuses(classes: string): string {
  return classes === '' ? 'none' : [...classes].map((digit) => `${digit}xx`).join(', ');
}

export function doubtfulRequests(): string {
  const rows = Object.entries(DISAGREEMENTS).map(([name, { front, node, nginx, judgement }]) =>
    row(name, statuses(front), statuses(nginx ?? front), statuses(node), judgement),
  );
  return table(['request', 'front', 'nginx', 'node:http', 'reason'], rows);
}
