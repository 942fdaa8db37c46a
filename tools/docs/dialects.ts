// The differences between the servers whose answers the service gives, as a table of docs/compatibility.md.
import { DIFFERENCES, SERVERS } from '../../src/compat/dialect.ts';

export function dialects(): string {
  const head = [`| difference | ${SERVERS.join(' | ')} |`, `|---|${SERVERS.map(() => '---|').join('')}`];
  const rows = Object.values(DIFFERENCES).map(({ about, values }) => `| ${about} | ${[...values].map(cell).join(' | ')} |`);
  return [...head, ...rows].join('\n');
}

function cell(value: boolean | string | number | null): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value === null ? '' : `\`${value}\``;
}
