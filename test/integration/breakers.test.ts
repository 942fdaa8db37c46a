// Bodies that do not fit into memory.limit are refused while they arrive, and leave no trace.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

const LIMIT = 256 << 20;

let service: TestService;

beforeAll(async () => {
  service = await startService(['--threads=2', `--memory.limit=${LIMIT}b`]);
  expect((await service.request('PUT', '/docs/_doc/1?refresh=true', { n: 1 })).status).toBe(201);
});

afterAll(() => service.stop());

const breakers = async () => {
  const { body } = await service.request('GET', '/_nodes/stats/breaker');
  return (Object.values(body.nodes)[0] as any).breakers;
};

test('_nodes/stats/breaker has the breakers of Elasticsearch', async () => {
  const found = await breakers();
  expect(Object.keys(found).sort()).toEqual(['fielddata', 'inflight_requests', 'parent', 'request']);
  expect(found.parent).toMatchObject({ limit_size_in_bytes: LIMIT, limit_size: '256mb', overhead: 1, tripped: 0 });
  expect(found.inflight_requests).toMatchObject({ estimated_size_in_bytes: 0, estimated_size: '0b', overhead: 2 });
});

test('compressed bodies larger than the memory are refused while they are inflated, and others are answered', async () => {
  // 70 KB that become 70 MB.
  const bomb = gzipSync(Buffer.concat([Buffer.from('{"x":"'), Buffer.alloc(70 << 20, 'a'), Buffer.from('"}')]));
  const send = async () => {
    const answer = await fetch(`${service.url}/docs/_search`, {
      method: 'POST',
      body: bomb,
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    });
    return { status: answer.status, body: (await answer.json()) as any };
  };
  const answers = await Promise.all([...Array.from({ length: 8 }, send), service.request('GET', '/docs/_doc/1')]);
  expect(answers.pop()?.body._source).toEqual({ n: 1 });
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const { body } of refused) {
    expect(body.error).toMatchObject({ type: 'circuit_breaking_exception', bytes_limit: LIMIT, durability: 'TRANSIENT' });
    expect(body.error.reason).toMatch(
      /^\[(?:in_flight_requests|parent)\] Data too large, data for \[.*\] would be \[\d+\/.*b\], which is larger than the limit of/,
    );
  }
  // The others fit and have an unknown key.
  for (const { status } of answers) expect([400, 429]).toContain(status);
  const { inflight_requests: inFlight, parent } = await breakers();
  expect(inFlight.estimated_size_in_bytes).toBe(0);
  expect(inFlight.tripped + parent.tripped).toBeGreaterThanOrEqual(refused.length);
});

test('a body that fits is read afterwards', async () => {
  const text = JSON.stringify({ query: { ids: { values: ['1', '2'] } } }) + ' '.repeat(5 << 20);
  const { status, body } = await service.request('POST', '/docs/_search', text, { 'content-type': 'application/json' });
  expect(status).toBe(200);
  expect(body.hits.hits.map(({ _id }: { _id: string }) => _id)).toEqual(['1']);
});
