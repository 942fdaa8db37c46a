// `server_name`: names, wildcards and expressions of virtual servers.
import { hostname } from 'node:os';
import { compileRegex } from './compile-regex.ts';
import type { BlockFrame } from './module.ts';

/** Adds the names of a `server_name` directive to its server. */
export function readServerNames(f: BlockFrame): void {
  const { names, listens } = f.scope.server ?? f.fail('"server_name" directive is not allowed here');
  for (const word of f.args) {
    if ((word.startsWith('*') && !/^\*\../s.test(word)) || word === '.') f.fail(`server name "${word}" is invalid`);
    if (word.startsWith('~')) {
      if (word.length === 1) f.fail('empty regex in server name "~"');
      names.push({ text: word, regex: compileRegex(f, word.slice(1), /[A-Z]/.test(word)) });
      continue;
    }
    if (word.includes('/')) f.scope.warn(`server name "${word}" has suspicious symbols`);
    const name = word.toLowerCase();
    const stars = name.replace(/^\*\.|\.\*$/, '');
    if (stars.includes('*') || /\.\./.test(name) || (name.startsWith('*.') && name.endsWith('.*'))) {
      f.fail(`invalid server name or wildcard "${word}" on ${listens[0]?.text ?? '0.0.0.0:80'}`);
    }
    names.push({ text: name === '$hostname' ? hostname().toLowerCase() : name });
  }
}
