// The differences between the servers whose answers the service gives, as a table of docs/compatibility.md.
import { readFileSync } from 'node:fs';
import { DIFFERENCES, SERVERS } from '../../src/compat/dialect.ts';

export function dialects(): string {
  const head = [`| difference | ${SERVERS.join(' | ')} |`, `|---|${SERVERS.map(() => '---|').join('')}`];
  const comments = commentsOf(readFileSync(new URL('../../src/compat/dialect.ts', import.meta.url), 'utf8'));
  const rows = Object.entries(DIFFERENCES).map(([name, values]) => {
    const about = comments.get(name);
    if (about === undefined) throw new Error(`[${name}] of src/compat/dialect.ts has no comment`);
    return `| ${about} | ${[...values].map(cell).join(' | ')} |`;
  });
  return [...head, ...rows].join('\n');
}

/** Comments of one line, by the name of the member after them. */
function commentsOf(source: string): Map<string, string> {
  return new Map([...source.matchAll(/^ {2}\/\*\* (.+) \*\/\n {2}(\w+):/gm)].map(([, comment, name]) => [name, comment]));
}

function cell(value: boolean | string | number | null): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value === null ? '' : `\`${value}\``;
}
