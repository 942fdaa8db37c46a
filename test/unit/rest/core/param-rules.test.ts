// Parameters that only some servers know, that depend on others, and about which responses warn.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

const nodes: Record<string, RestNode> = {};

beforeAll(async () => {
  nodes.elasticsearch = await openRestNode({ 'compat.flavor': 'elasticsearch' });
  nodes.opensearch = await openRestNode({ 'compat.flavor': 'opensearch' });
  for (const node of Object.values(nodes)) await node.ok('PUT /docs');
});

afterAll(async () => {
  for (const node of Object.values(nodes)) await node.close();
});

const reasonOf = async (flavor: string, line: string, body?: unknown): Promise<string> =>
  (await nodes[flavor].send(line, body)).json.error?.reason;

const warningsOf = async (flavor: string, line: string): Promise<string[]> =>
  [(await nodes[flavor].exchange(line, {})).headers.warning ?? []].flat().map(String);

describe('cluster_manager_timeout', () => {
  test('is unknown to Elasticsearch, which suggests its own parameter', async () => {
    expect(await reasonOf('elasticsearch', 'GET /_cat/plugins?cluster_manager_timeout=1s')).toBe(
      'request [/_cat/plugins] contains unrecognized parameter: [cluster_manager_timeout] -> did you mean [master_timeout]?',
    );
  });

  test('replaces master_timeout in OpenSearch, which warns about it', async () => {
    const [warning] = await warningsOf('opensearch', 'GET /_cat/plugins?master_timeout=1s');
    expect(warning).toMatch(
      /^299 OpenSearch-3\.8\.0-[0-9a-f]{40} "Parameter \[master_timeout\] is deprecated and will be removed in 3\.0\. .*\[cluster_manager_timeout\] instead\."$/,
    );
    expect(await warningsOf('elasticsearch', 'GET /_cat/plugins?master_timeout=1s')).toEqual([]);
  });

  test('must not be given under both names', async () => {
    expect(await reasonOf('opensearch', 'GET /_cluster/health?master_timeout=1s&cluster_manager_timeout=1s')).toBe(
      'Please only use one of the request parameters [master_timeout, cluster_manager_timeout].',
    );
  });
});

test('a failed request has the warnings about its parameters, too', async () => {
  const { status, headers } = await nodes.opensearch.exchange('GET /missing/_settings?master_timeout=1s', {});
  expect([status, String(headers.warning)]).toEqual([404, expect.stringContaining('[master_timeout] is deprecated')]);
});

test('OpenSearch warns about the old name of the table of the cluster manager', async () => {
  expect((await warningsOf('opensearch', 'GET /_cat/master'))[0]).toContain('Use [GET /_cat/cluster_manager] instead');
  expect(await warningsOf('opensearch', 'GET /_cat/cluster_manager')).toEqual([]);
});

describe('parameters of the query that q is', () => {
  test('are unknown without q', async () => {
    expect(await reasonOf('opensearch', 'GET /_search?analyzer=standard&lenient=x')).toBe(
      'request [/_search] contains unrecognized parameters: [analyzer], [lenient]',
    );
    expect(await reasonOf('elasticsearch', 'GET /_validate/query?df=a')).toBe(
      'request [/_validate/query] contains unrecognized parameter: [df]',
    );
  });

  test('are reported with the missing q by searches and counts of Elasticsearch 8', async () => {
    expect(await reasonOf('elasticsearch', 'GET /_cat/count?df=a')).toBe(
      "request [/_cat/count] contains parameters [df] but missing query string parameter 'q'.",
    );
    expect(await reasonOf('elasticsearch', 'GET /_count?lenient=x&df=a&analyzer=b')).toBe(
      "request [/_count] contains parameters [df, analyzer, lenient] but missing query string parameter 'q'.",
    );
  });

  test('are read with q', async () => {
    expect(await nodes.elasticsearch.ok('GET /_count?q=a&df=b&lenient=true')).toMatchObject({ count: 0 });
  });
});

test('task_execution_timeout is known to requests that do not wait', async () => {
  expect(await reasonOf('opensearch', 'POST /docs/_open?task_execution_timeout=1s')).toContain('unrecognized parameter');
  expect(await nodes.opensearch.ok('POST /docs/_open?task_execution_timeout=1s&wait_for_completion=false')).toHaveProperty('task');
});

test('an empty expand_wildcards expands nothing', async () => {
  for (const path of ['_settings', '_mapping', '_alias'])
    expect(await nodes.elasticsearch.ok(`GET /${path}?expand_wildcards=`)).toEqual({});
  expect((await nodes.elasticsearch.ok('GET /_search?expand_wildcards='))._shards.total).toBe(0);
});
