// What `include_defaults` shows for fields that set no parameter, as the real servers do.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

const TYPES = ['long', 'keyword', 'date', 'date_nanos', 'boolean', 'completion', 'text'];

async function shown(node: RestNode, type: string): Promise<Record<string, unknown>> {
  const { docs } = await node.ok(`GET /docs/_mapping/field/${type}?include_defaults=true`);
  return docs.mappings[type].mapping[type];
}

async function start(settings: Record<string, string>): Promise<RestNode> {
  const node = await openRestNode(settings);
  await node.ok('PUT /docs', { mappings: { properties: Object.fromEntries(TYPES.map((type) => [type, { type }])) } });
  return node;
}

describe('Elasticsearch 8', () => {
  let node: RestNode;
  beforeAll(async () => {
    node = await start({});
  });
  afterAll(() => node.close());

  test.each([
    ['long', { script: null, on_script_error: 'fail', time_series_dimension: false, time_series_metric: null, null_value: null }],
    ['keyword', { eager_global_ordinals: false, ignore_above: 2147483647, similarity: null, normalizer: null, script: null }],
    ['date', { format: 'strict_date_optional_time||epoch_millis', locale: '', script: null }],
    ['date_nanos', { format: 'strict_date_optional_time_nanos||epoch_millis' }],
    ['boolean', { on_script_error: 'fail' }],
    ['completion', { analyzer: 'simple', search_analyzer: 'simple' }],
    ['text', { fielddata_frequency_filter: { min: 0, max: 2147483647, min_segment_size: 0 }, position_increment_gap: 100 }],
  ])('%s', async (type, expected) => {
    expect(await shown(node, type)).toMatchObject(expected);
  });

  test('parameters of other servers are left out', async () => {
    for (const type of TYPES) expect(await shown(node, type)).not.toHaveProperty('skip_list');
    expect(await shown(node, 'date')).not.toHaveProperty('print_format');
    expect(await shown(node, 'completion')).not.toHaveProperty('contexts');
  });
});

test('OpenSearch', async () => {
  const node = await start({ 'compat.flavor': 'opensearch' });
  try {
    const long = await shown(node, 'long');
    expect(long).toMatchObject({ skip_list: false });
    expect(long).not.toHaveProperty('script');
    expect(await shown(node, 'date')).toMatchObject({ print_format: 'strict_date_optional_time' });
    expect(await shown(node, 'keyword')).toMatchObject({ normalizer: 'default' });
    expect(await shown(node, 'text')).toMatchObject({ position_increment_gap: -1 });
  } finally {
    await node.close();
  }
});
