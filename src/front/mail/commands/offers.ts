// Capabilities, authentication methods and challenges that the three protocols offer to clients.
import { randomInt } from 'node:crypto';
import type { BlockFrame } from '../../http/config/module.ts';
import type { Loc } from '../../http/model/types.ts';
import { mailCore } from '../core.ts';

/** Capabilities of one more directive of the level; line ends would add replies. */
export function readCapabilities(f: BlockFrame, previous: readonly string[] = []): string[] {
  for (const word of f.args) if (/[\r\n]/.test(word)) f.fail(`invalid capability "${word}"`);
  return [...previous, ...f.args];
}

/** Names as the protocols write them, in the order of `order`. */
export const methodNames = (enabled: ReadonlySet<string>, order: readonly string[]): string[] =>
  order.filter((name) => enabled.has(name)).map((name) => name.toUpperCase());

/** A challenge that is not used twice: `<NUMBER.SECONDS@NAME>` */
export const makeSalt = (loc: Loc): string => `<${randomInt(2 ** 47)}.${Math.floor(Date.now() / 1000)}@${mailCore.conf(loc).server_name}>`;
