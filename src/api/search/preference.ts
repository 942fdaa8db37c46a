// The parameter `preference` selects shards and copies of shards. Every shard has one copy here, so only `_shards` has an effect; other names are
// validated. A value that does not begin with `_` is a session name that would keep its searches on the same copies.
import { illegalArgumentError } from '../../errors/catalog.ts';
import { numberFormatError } from '../../errors/search-errors.ts';
import type { EngineContext } from '../core/context.ts';

const COPIES = new Set([
  '_local',
  '_only_local',
  '_primary',
  '_primary_first',
  '_replica',
  '_replica_first',
  '_prefer_nodes',
  '_only_nodes',
]);

/** Numbers of the preferred shards; null for all. @throws ApiError illegal_argument_exception: no such preference, or no such node */
export function preferredShards(ctx: EngineContext, preference: string | undefined): ReadonlySet<number> | null {
  if (preference === undefined || !preference.startsWith('_')) return null;
  const [shards, copies] = preference.startsWith('_shards') ? splitAt(preference, '|') : [null, preference];
  if (copies !== null) checkCopies(ctx, copies);
  if (shards === null) return null;
  const [, numbers] = splitAt(shards, ':');
  return new Set((numbers ?? '').split(',').map(readShard));
}

function splitAt(text: string, mark: string): [string, string | null] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}

function readShard(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw numberFormatError(text);
  return Number(text);
}

function checkCopies(ctx: EngineContext, copies: string): void {
  const [word, nodes] = splitAt(copies, ':');
  if (!COPIES.has(word)) throw illegalArgumentError(`no Preference for [${word}]`);
  if (word !== '_only_nodes') return;
  const isHere = (node: string): boolean => ['*', '_all', '_local', ctx.nodeId, ctx.nodeName].includes(node);
  if (!(nodes ?? '').split(',').some(isHere)) throw illegalArgumentError(`no data nodes with criteria [${nodes}] found`);
}
