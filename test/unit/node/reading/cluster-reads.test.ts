// Which requests wait for the metadata of other nodes, and which are refused out of touch.
import { describe, expect, test } from 'vitest';
import { SharedCall } from '../../../../src/common/shared-call.ts';
import type { Settings } from '../../../../src/config/settings.ts';
import { ApiError } from '../../../../src/errors/api-error.ts';
import { catchUpFor, checkReadable } from '../../../../src/node/reading/cluster-reads.ts';

function until(ms: number): SharedArrayBuffer {
  const shared = new SharedArrayBuffer(8);
  new Float64Array(shared)[0] = ms;
  return shared;
}

const ALWAYS = until(Number.POSITIVE_INFINITY);
const NEVER = until(Number.NEGATIVE_INFINITY);
const strict = { 'cluster.stale_reads': 0 } as Settings;
const lenient = { 'cluster.stale_reads': 10_000 } as Settings;

function log(isReachable: boolean): { calls: number; call: SharedCall<void> } {
  const counted = {
    calls: 0,
    call: new SharedCall<void>(async () => {
      counted.calls++;
      if (!isReachable) throw new ApiError('unavailable_shards_exception', 503, 'no log');
    }),
  };
  return counted;
}

describe('a node of a cluster', () => {
  test('reads the log before requests about metadata', async () => {
    for (const action of [
      'indices:admin/get',
      'indices:admin/create',
      'indices:monitor/stats',
      'cluster:monitor/state',
      'cluster:admin/ilm/get',
    ]) {
      const counting = log(true);
      await catchUpFor(action, ALWAYS, strict, counting.call);
      expect([action, counting.calls]).toEqual([action, 1]);
    }
  });

  test('does not ask for documents, nor for what it knows of nodes', () => {
    for (const action of [
      'none',
      'indices:data/write/bulk',
      'indices:data/read/get',
      'cluster:monitor/health',
      'cluster:monitor/nodes/stats',
    ]) {
      const counting = log(false);
      expect(catchUpFor(action, ALWAYS, strict, counting.call)).toBe(null);
      expect(counting.calls).toBe(0);
    }
  });

  test('refuses to read documents when it may lack indices, and still takes writes', () => {
    expect(() => catchUpFor('indices:data/read/search', NEVER, strict, log(true).call)).toThrow(/been in touch/);
    expect(catchUpFor('indices:data/write/bulk', NEVER, strict, log(true).call)).toBe(null);
    expect(() => checkReadable(NEVER)).toThrow(/been in touch/);
    expect(() => checkReadable(ALWAYS)).not.toThrow();
  });

  test('answers from what it has while the log cannot be reached, for cluster.stale_reads', async () => {
    await catchUpFor('indices:admin/get', ALWAYS, lenient, log(false).call);
    await expect(catchUpFor('indices:admin/get', NEVER, lenient, log(false).call)).rejects.toThrow('no log');
    await expect(catchUpFor('indices:admin/get', ALWAYS, strict, log(false).call)).rejects.toThrow('no log');
  });
});
