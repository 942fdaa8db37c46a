// `pinned`: the pinned documents get the highest scores there are, in the order of the request; the matches of the organic query follow.
import type { Query } from '../../query/query.ts';
import { constant, disMax, type IndexQuery, withBoost } from '../index-query/index-query.ts';
import type { RewriteContext } from '../shard/rewrite-context.ts';

type PinnedQuery = Extract<Query, { kind: 'pinned' }>;

/** The score below those of pinned documents: half of what a float can hold. Adjacent pinned documents have adjacent floats as scores. */
const BASE_BITS = 0x7f000000;

const bits = new Uint32Array(1);
const floats = new Float32Array(bits.buffer);

function scoreAbove(steps: number): number {
  bits[0] = BASE_BITS + steps;
  return floats[0];
}

/** A boost of the query applies to the organic matches only: a multiple of the scores of pinned documents would not fit into a float. */
export function rewritePinned({ documents, boost }: PinnedQuery, organic: IndexQuery, context: RewriteContext): IndexQuery {
  const first = new Map<string, number>();
  documents.forEach(({ index, id }, i) => {
    if ((index === null || index === context.index) && !first.has(id)) first.set(id, i);
  });
  const pinned = [...first].map(([id, i]) => withBoost(constant({ op: 'ids', ids: [id] }), scoreAbove(documents.length - i)));
  const rest = withBoost(organic, boost);
  return pinned.length === 0 ? rest : disMax([...pinned, rest], 0);
}
