// Where a reader sends a request for indices of which its node has no copy that may be searched.
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../../src/errors/api-error.ts';
import type { HeldElsewhere } from '../../../../src/errors/held-elsewhere.ts';
import { IndicesApart } from '../../../../src/errors/indices-apart.ts';
import type { ClusterState, IndexMeta } from '../../../../src/metadata/cluster-state.ts';
import type { CopyRouting } from '../../../../src/metadata/copy-routing.ts';
import { elsewhereError, holdersOf } from '../../../../src/node/reading/copies-elsewhere.ts';
import type { CopyView } from '../../../../src/node/reading/copy-view.ts';

const index = (name: string) => ({ name, uuid: `u-${name}` }) as IndexMeta;
const copy = (node: string, isStarted = true): CopyRouting => ({ node, id: 1, isStarted, leftMs: null, replaces: null });
const MISSING = new ApiError('no_shard_available_action_exception', 503, 'none');
const NONE: ReadonlySet<string> = new Set();

/** @param onCatchUp  returns the copies after catching up */
function viewOf(copies: Record<string, CopyRouting[]>, nodes: string[], onCatchUp = () => copies): CopyView {
  let current = copies;
  return {
    nodeId: 'here',
    cluster: () => ({ copies: current }) as unknown as ClusterState,
    nodes: () => nodes.map((id) => ({ id })),
    catchUp: async () => {
      current = onCatchUp();
    },
  };
}

const COPIES = { 'u-one': [copy('a'), copy('b')], 'u-two': [copy('b'), copy('c')], 'u-far': [copy('d')], 'u-new': [copy('a', false)] };

test('holders are live nodes with started copies of all indices', () => {
  const view = viewOf(COPIES, ['a', 'b', 'd']);
  expect(holdersOf(view, [index('one')])).toEqual(['a', 'b']);
  expect(holdersOf(view, [index('one'), index('two')])).toEqual(['b']);
  expect(holdersOf(view, [index('new')])).toEqual([]);
  expect(holdersOf(view, [index('unknown')])).toEqual([]);
});

describe('the error', () => {
  test('names a node with all indices, and then one that was not tried', async () => {
    const view = viewOf(COPIES, ['a', 'b', 'c', 'd']);
    const both = elsewhereError(view, [index('one'), index('two')], MISSING) as HeldElsewhere;
    expect([both.type, both.status, await both.find(NONE)]).toEqual([MISSING.type, 503, 'b']);
    const one = elsewhereError(view, [index('one')], MISSING) as HeldElsewhere;
    expect(await one.find(new Set(['a']))).toBe('b');
    expect(one.maxForwards).toBeGreaterThan(1);
  });

  test('refuses indices that have no node in common, unless they are put together', async () => {
    const error = elsewhereError(viewOf(COPIES, ['a', 'b', 'c', 'd']), [index('one'), index('far')], MISSING) as IndicesApart;
    expect(error).toBeInstanceOf(IndicesApart);
    expect(await error.find(NONE)).toBeNull();
    expect([error.type, error.status]).toEqual(['illegal_argument_exception', 400]);
    expect(error.reason).toContain('[one, far]');
    const many = Array.from({ length: 30 }, (_, n) => index(n % 2 === 0 ? 'one' : 'far'));
    expect(elsewhereError(viewOf(COPIES, ['a', 'd']), many, MISSING).reason).toMatch(/far, \.\.\.\]/);
  });

  test('waits for a new index among others, unless they are put together', async () => {
    const view = viewOf(COPIES, ['a'], () => ({ ...COPIES, 'u-new': [copy('a')] }));
    const error = elsewhereError(view, [index('one'), index('new')], MISSING) as IndicesApart;
    expect([error instanceof IndicesApart, error.status, await error.find(NONE)]).toEqual([true, 503, 'a']);
  });

  test('waits for a copy of a new index', async () => {
    const view = viewOf(COPIES, ['a'], () => ({ 'u-new': [copy('a')] }));
    const error = elsewhereError(view, [index('new')], MISSING) as HeldElsewhere;
    expect(await error.find(NONE)).toBe('a');
  });
});
