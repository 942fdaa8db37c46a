// Values and names of cluster settings, refused with the words of Elasticsearch 8.15 and OpenSearch 3.8.
import { expect, test } from 'vitest';
import { dialectOf } from '../../../../src/compat/dialect.ts';
import { emptyClusterState } from '../../../../src/metadata/empty-state.ts';
import type { ReducerEnvironment } from '../../../../src/metadata/reducer.ts';
import { putClusterSettings } from '../../../../src/metadata/settings/cluster-settings.ts';

function change(settings: object, flavor: 'elasticsearch' | 'opensearch' = 'elasticsearch'): string {
  const env = { dialect: dialectOf(flavor, '') } as ReducerEnvironment;
  try {
    return JSON.stringify(putClusterSettings(emptyClusterState('x'), { body: { persistent: settings } }, env).state.settings.persistent);
  } catch (error) {
    return (error as { reason: string }).reason;
  }
}

test.each([
  [{ 'action.destructive_requires_name': 'zz' }, 'Failed to parse value [zz] as only [true] or [false] are allowed.'],
  [{ 'search.max_buckets': -2 }, 'Failed to parse value [-2] for setting [search.max_buckets] must be >= 0'],
  [{ 'cluster.max_shards_per_node': 'zz' }, 'Failed to parse value [zz] for setting [cluster.max_shards_per_node]'],
  [
    { 'search.default_keep_alive': 'zz' },
    'failed to parse setting [search.default_keep_alive] with value [zz] as a time value: unit is missing or unrecognized',
  ],
  [
    { 'cluster.routing.allocation.disk.watermark.low': 'zz' },
    'unable to parse [cluster.routing.allocation.disk.watermark.low=zz] as either percentage or bytes',
  ],
  [
    { 'cluster.routing.allocation.enable': 'some' },
    'No enum constant org.elasticsearch.cluster.routing.allocation.decider.EnableAllocationDecider.Allocation.SOME',
  ],
  [{ 'no.such.setting': 1 }, 'persistent setting [no.such.setting], not recognized'],
  [{ 'no.such.*': null }, 'persistent setting [no.such.*], not recognized'],
  [{ 'search_backpressure.mode': 'disabled' }, 'persistent setting [search_backpressure.mode], not recognized'],
])('%j is refused', (settings, reason) => {
  expect(change(settings)).toBe(reason);
});

test('good values are kept as strings, null removes a setting', () => {
  const kept = {
    'cluster.routing.allocation.disk.watermark.high': '0.9',
    'indices.recovery.max_bytes_per_sec': '40mb',
    'search.max_buckets': 5,
  };
  expect(JSON.parse(change(kept))).toEqual({ ...kept, 'search.max_buckets': '5' });
  expect(change({ 'search.max_buckets': null })).toBe('{}');
  expect(change({ 'cluster.routing.*': null })).toBe('{}');
});

test('search backpressure is known to OpenSearch, but nothing is ended by it', () => {
  const set = (settings: object): string => change(settings, 'opensearch');
  expect(set({ 'search_backpressure.mode': 'monitor_only' })).toBe('{"search_backpressure.mode":"monitor_only"}');
  expect(set({ 'search_backpressure.mode': 'monitor-only' })).toBe('Invalid SearchBackpressureMode: monitor-only');
  expect(set({ 'search_backpressure.mode': 'enforced' })).toContain('cannot be [enforced]');
  expect(set({ 'search_backpressure.search_task.cancellation_rate': 0 })).toBe(
    'search_backpressure.search_task.cancellation_rate must be > 0',
  );
});
