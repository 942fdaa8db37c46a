import { expect, test } from 'vitest';
import { resolveDateMathName } from '../../../src/metadata/date-math-name.ts';
import { openRestNode } from '../../support/rest-node.ts';

const NOW = Date.UTC(2024, 2, 22, 23, 30, 15);

// Source: https://www.elastic.co/guide/en/elasticsearch/reference/8.15/api-conventions.html#api-date-math-index-names
test.each([
  ['logs', 'logs'],
  ['<logs>', 'logs'],
  ['<logs-{now/d}>', 'logs-2024.03.22'],
  ['<logs-{now/M}>', 'logs-2024.03.01'],
  ['<logs-{now/M{yyyy.MM}}>', 'logs-2024.03'],
  ['<logs-{now/M-1M{yyyy.MM}}>', 'logs-2024.02'],
  ['<logs-{now/d{yyyy.MM.dd|+12:00}}>', 'logs-2024.03.23'],
  ['<logs-{now/d{yyyy.MM.dd|Europe/Oslo}}>', 'logs-2024.03.23'],
  ['<logs-{now/d{yyyy.MM.dd|Z}}-{now{HH}}>', 'logs-2024.03.22-23'],
  ['<logs-{now+1w{YYYY-ww}}>', 'logs-2024-13'],
  ['<elastic\\{ON\\}-{now/M}>', 'elastic{ON}-2024.03.01'],
  ['<x-{2023||/y{yyyy|UTC}}>', 'x-2023'],
  ['<x-{2023-07-05||+1M/M{yyyy-MM-dd|UTC}}>', 'x-2023-08-01'],
])('%s is %s', (name, resolved) => {
  expect(resolveDateMathName(name, NOW)).toBe(resolved);
});

test.each([
  ['<logs-{now/d>', 'invalid dynamic name expression [logs-{now/d]. date math placeholder is open ended'],
  ['<logs-now}>', 'invalid character at position [8]'],
  ['<logs-{now{}}>', 'invalid dynamic name expression [logs-{now{}}]. missing date format'],
  ['<logs-{now{yyyy}x}>', 'missing closing `}` for date math format'],
  ['<logs-{never}>', 'failed to parse date field [never] with format [uuuu.MM.dd]'],
  ['<logs-{now/q}>', 'unit [q] not supported for date math [/q]'],
  ['<logs-{now{yyyy|Mars/Crater}}>', 'Unknown time-zone ID: Mars/Crater'],
])('%s is refused', (name, reason) => {
  expect(() => resolveDateMathName(name, NOW)).toThrow(reason);
});

test('the processor date_index_name directs documents by their dates', async () => {
  const node = await openRestNode();
  const processor = {
    field: 'at',
    index_name_prefix: 'logs-{{kind}}-',
    date_rounding: 'M',
    date_formats: ['ISO8601'],
    timezone: 'Europe/Oslo',
  };
  await node.ok('PUT /_ingest/pipeline/monthly', { processors: [{ date_index_name: processor }] });
  const { _index } = await node.ok('PUT /any/_doc/1?pipeline=monthly', { at: '2024-04-30T23:30:00Z', kind: 'web' });
  expect(_index).toBe('logs-web-2024-05-01');
  const docs = [{ _index: 'any', _id: '1', _source: { at: '2016-04-25T12:02:01.789Z', kind: 'a' } }];
  const shown = await node.ok('POST /_ingest/pipeline/monthly/_simulate', { docs });
  expect(shown.docs[0].doc._index).toBe('<logs-a-{2016-04-25||/M{yyyy-MM-dd|Europe/Oslo}}>');
  await node.close();
});
