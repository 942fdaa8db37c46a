// Readable values that the parameter `human` adds, by the rules of the servers.
import { expect, test } from 'vitest';
import { withHumanValues } from '../../../../src/api/core/human-values.ts';
import { JsonFloat } from '../../../../src/common/json/json-float.ts';
import { dialectOf } from '../../../../src/compat/dialect.ts';

const readable = (value: unknown) => withHumanValues(value, dialectOf('elasticsearch', ''));

test('adds sizes, durations and dates before the numbers, in objects and arrays', () => {
  const shown = readable({
    shards: [{ size_in_bytes: 1024, total_time_in_millis: 1500, start_time_in_millis: 0 }],
    name: 'vm',
  });
  expect(JSON.stringify(shown)).toBe(
    '{"shards":[{"size":"1kb","size_in_bytes":1024,"total_time":"1.5s","total_time_in_millis":1500,' +
      '"start_time":"1970-01-01T00:00:00.000Z","start_time_in_millis":0}],"name":"vm"}',
  );
});

test('leaves floats as they are', () => {
  const overhead = new JsonFloat(1);
  expect(readable({ breakers: { overhead, limit_size_in_bytes: 0 } })).toEqual({
    breakers: { overhead, limit_size: '0b', limit_size_in_bytes: 0 },
  });
});

test('follows the exceptions of the sections get, flush and bulk', () => {
  expect(
    readable({
      get: { exists_total: 1, time_in_millis: 4 },
      flush: { total_time_excluding_waiting_on_lock_in_millis: 0 },
      bulk: { total_operations: 1, total_time_in_millis: 1, total_size_in_bytes: 10 },
    }),
  ).toEqual({
    get: { exists_total: 1, getTime: '4ms', time_in_millis: 4 },
    flush: { total_time_excluding_waiting: '0s', total_time_excluding_waiting_on_lock_in_millis: 0 },
    bulk: { total_operations: 1, total_time: '1ms', total_time_in_millis: 1, total_size_in_bytes: 10 },
  });
});

test('OpenSearch has the duration of gets twice', () => {
  const shown = withHumanValues({ get: { exists_total: 1, time_in_millis: 4 } }, dialectOf('opensearch', ''));
  expect(shown).toEqual({ get: { exists_total: 1, getTime: '4ms', time: '4ms', time_in_millis: 4 } });
});
