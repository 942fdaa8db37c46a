// `state FILE` of an upstream: the servers set by the api, as `server` directives, so that they survive the process.
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { type DirectiveNode, parseConfig } from '../../../config/syntax.ts';
import { fsPath } from '../../../fs-path.ts';
import { DEFAULT_SERVER, type ServerEntry, type ServerOptions } from './peer.ts';

/** The directives of a file; none if it does not exist. @throws ConfigError it is malformed */
export function readState(file: string): DirectiveNode[] {
  return existsSync(fsPath(file)) ? parseConfig(file, '/').nodes : [];
}

/** Options that differ from the defaults, as parameters of `server`. */
function parameters(options: ServerOptions): string[] {
  const words: string[] = [];
  const say = (name: string, value: string | number, usual: string | number, unit = '') => {
    if (value !== usual) words.push(`${name}=${value}${unit}`);
  };
  say('weight', options.weight, DEFAULT_SERVER.weight);
  say('max_conns', options.maxConns, DEFAULT_SERVER.maxConns);
  say('max_fails', options.maxFails, DEFAULT_SERVER.maxFails);
  say('fail_timeout', options.failTimeoutSeconds, DEFAULT_SERVER.failTimeoutSeconds, 's');
  say('slow_start', options.slowStartSeconds, DEFAULT_SERVER.slowStartSeconds, 's');
  say('route', options.route, DEFAULT_SERVER.route);
  for (const name of ['backup', 'down', 'drain'] as const) if (options[name]) words.push(name);
  return words;
}

/** Writes the servers of a group; replaces the file as a whole. @throws NodeJS.ErrnoException */
export function writeState(file: string, entries: readonly ServerEntry[]): void {
  const lines = entries.flatMap((entry) =>
    entry.resolve
      ? [[entry.text, ...parameters(entry.options), 'resolve', ...(entry.service ? [`service=${entry.service}`] : [])]]
      : entry.addresses.map(({ address, options }) => [address.name, ...parameters(options)]),
  );
  const text = lines.map((words) => `server ${words.join(' ')};\n`).join('');
  writeFileSync(fsPath(`${file}.new`), text, 'latin1');
  renameSync(fsPath(`${file}.new`), fsPath(file));
}
