// `max_analyzed_offset` of highlights.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
  await node.ok('PUT /docs/_doc/1?refresh=true', { body: 'brown lazy' });
});
afterAll(() => node.close());

test('an offset below 1 is refused by the parser of highlights', async () => {
  const { json } = await node.send('POST /docs/_search', { highlight: { fields: { body: {} }, max_analyzed_offset: 0 } });
  expect(json.error.type).toBe('x_content_parse_exception');
  expect(json.error.caused_by.reason).toBe('[max_analyzed_offset] must be a positive integer');
});
