// Until when copies may be read, after renewals of the node's key.
import { describe, expect, test } from 'vitest';
import { NODE_GONE_MS, ReadLease } from '../../../src/cluster/read-lease.ts';

const untilOf = ({ shared }: ReadLease): number => new Float64Array(shared)[0];

/** A lease of a node that has caught up after its first renewal. */
function current(staleMs: number): ReadLease {
  const lease = new ReadLease(staleMs);
  expect(lease.renewed(1000, 1010)).toBe(false);
  expect(lease.caughtUp(lease.lapses)).toBe(true);
  return lease;
}

describe('the lease of reads', () => {
  test('begins when the node has caught up', () => {
    const lease = new ReadLease(0);
    expect(untilOf(lease)).toBe(Number.NEGATIVE_INFINITY);
    lease.renewed(1000, 1010);
    expect(untilOf(lease)).toBe(Number.NEGATIVE_INFINITY);
    lease.caughtUp(lease.lapses);
    expect(untilOf(lease)).toBeGreaterThan(1000);
  });

  test('ends before other nodes go on without this one, counted from when a renewal was sent', () => {
    const lease = current(0);
    expect(lease.renewed(2000, 2900)).toBe(true);
    expect(untilOf(lease)).toBeLessThan(2000 + NODE_GONE_MS);
  });

  test('is not extended by renewals after others may have gone on, until the node has caught up', () => {
    const lease = current(0);
    const before = untilOf(lease);
    expect(lease.renewed(3000, 1000 + NODE_GONE_MS)).toBe(false);
    expect(lease.renewed(3800, 3850)).toBe(false);
    expect(untilOf(lease)).toBe(before);
    expect(lease.caughtUp(lease.lapses)).toBe(true);
    expect(untilOf(lease)).toBeGreaterThan(3800);
  });

  test('is not extended if others may have gone on once more while the node caught up', () => {
    const lease = current(0);
    const before = untilOf(lease);
    lease.renewed(9000, 9010);
    const { lapses } = lease;
    lease.renewed(19_000, 19_010);
    expect(lease.caughtUp(lapses)).toBe(false);
    expect(untilOf(lease)).toBe(before);
  });

  test('is longer with cluster.stale_reads, and endless if that is negative', () => {
    expect(untilOf(current(10_000))).toBe(11_000);
    expect(untilOf(new ReadLease(-1))).toBe(Number.POSITIVE_INFINITY);
  });
});
