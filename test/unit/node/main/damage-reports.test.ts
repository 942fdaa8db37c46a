/** Damage is logged once, shared with the readers, and shown for the shards it concerns. */
import { describe, expect, test } from 'vitest';
import { DamageReports } from '../../../../src/node/main/damage-reports.ts';

function makeReports() {
  const logged: string[] = [];
  const counts = { shared: 0 };
  const reports = new DamageReports({
    error: (message) => logged.push(message),
    indexName: (uuid) => `name-of-${uuid}`,
    share: () => counts.shared++,
  });
  return { reports, logged, counts };
}

describe('damage reports', () => {
  test('the first report of a shard counts, later ones are ignored', () => {
    const { reports, logged, counts } = makeReports();
    reports.reportShard({ uuid: 'u', shard: 1 }, 'bad checksum');
    reports.reportShard({ uuid: 'u', shard: 1 }, 'another');
    expect(reports.of('u', 1)).toBe('bad checksum');
    expect(reports.of('u', 0)).toBeNull();
    expect(logged).toEqual(['[name-of-u][1] is damaged: bad checksum; stop the service and run `gannet check --repair`']);
    expect(counts.shared).toBe(1);
  });

  test('damage of the store concerns every shard without a report of its own', () => {
    const { reports, logged, counts } = makeReports();
    reports.reportShard({ uuid: 'u', shard: 0 }, 'bad checksum');
    reports.reportStore(['page 3', 'page 4']);
    expect([reports.of('u', 0), reports.of('u', 1)]).toEqual(['bad checksum', 'page 3']);
    expect(logged).toHaveLength(3);
    expect(counts.shared).toBe(2);
  });
});
