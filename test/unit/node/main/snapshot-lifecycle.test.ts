// Schedules of policies, and the snapshots that their retention keeps.
import { afterEach, expect, test, vi } from 'vitest';
import { DEFAULT_DIALECT } from '../../../../src/compat/dialect.ts';
import type { ClusterState } from '../../../../src/metadata/cluster-state.ts';
import { emptyClusterState } from '../../../../src/metadata/empty-state.ts';
import { type CommandArgs, type CommandName, runReducer } from '../../../../src/metadata/reducers.ts';
import { expiredSnapshots, SnapshotLifecycleRunner } from '../../../../src/node/main/snapshots/snapshot-lifecycle.ts';
import type { SnapshotInfo } from '../../../../src/snapshots/snapshot-types.ts';

const DAY_MS = 86_400_000;

function snapshot(name: string, startMs: number, state: SnapshotInfo['state'] = 'SUCCESS'): SnapshotInfo {
  return {
    name,
    uuid: name,
    version: '8.15.0',
    state,
    startMs,
    endMs: startMs,
    indices: [],
    includeGlobalState: false,
    metadata: null,
    failures: [],
    totalShards: 0,
    details: '',
  };
}

const days = (count: number): SnapshotInfo[] => Array.from({ length: count }, (_, day) => snapshot(`d${day}`, day * DAY_MS));
const expired = (snapshots: SnapshotInfo[], retention: object): string[] =>
  expiredSnapshots(snapshots, retention as Record<string, unknown>, 10 * DAY_MS + 1).map(({ name }) => name);

test.each([
  [{}, []],
  [{ max_count: 8 }, ['d0', 'd1']],
  [{ expire_after: '7d' }, ['d0', 'd1', 'd2', 'd3']],
  [{ expire_after: '7d', min_count: 8 }, ['d0', 'd1']],
  [{ expire_after: '1d', max_count: 9, min_count: 3 }, ['d0', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6']],
  [{ min_count: 2 }, []],
])('retention %j', (retention, names) => {
  expect(expired(days(10), retention)).toEqual(names);
});

test('a failed snapshot neither counts nor stays longer than the successful ones around it', () => {
  const all = [...days(4), snapshot('partial', DAY_MS + 5, 'PARTIAL')];
  expect(expired(all, { max_count: 2 })).toEqual(['d0', 'd1', 'partial']);
  expect(expired(all, { max_count: 4 })).toEqual([]);
  expect(expired([...days(2), snapshot('last', 9 * DAY_MS, 'PARTIAL')], { expire_after: '1h', min_count: 2 })).toEqual([]);
});

afterEach(() => {
  vi.useRealTimers();
});

test('runs a policy when it is due, skips what was missed, and rests while stopped', async () => {
  vi.useFakeTimers({ now: Date.parse('2024-03-05T00:00:00Z') });
  let state: ClusterState = {
    ...emptyClusterState('c'),
    repositories: { r: { type: 'fs', settings: {} } },
  };
  const buildMapping = (): never => {
    throw new Error('not used');
  };
  const command = async <Name extends CommandName>(name: Name, args: CommandArgs<Name>): Promise<void> => {
    state = runReducer(name, state, args, { nowMs: Date.now(), dialect: DEFAULT_DIALECT, newUuid: () => 'u', buildMapping }).state;
    runner.update();
  };
  const created: string[] = [];
  const runner = new SnapshotLifecycleRunner(
    { state: () => state, command, log: () => undefined },
    {
      create: async ({ snapshot: name }) => {
        created.push(name);
        return null;
      },
      list: async () => [],
      delete: async () => undefined,
    },
  );
  await command('putPolicy', { id: 'p', policy: { schedule: '0 0 3 * * ?', name: '<n-{now/d}>', repository: 'r' } });
  await vi.advanceTimersByTimeAsync(3 * 3_600_000 - 1000);
  expect(created).toEqual([]);
  await vi.advanceTimersByTimeAsync(2 * DAY_MS);
  expect(created.map((name) => name.slice(0, 12))).toEqual(['n-2024.03.05', 'n-2024.03.06']);
  await command('setLifecycleMode', { isStopped: true });
  await vi.advanceTimersByTimeAsync(2 * DAY_MS);
  expect(created).toHaveLength(2);
  runner.stop();
});
