// Random writes of every kind against a plain model, over HTTP and on the real threads: answers of bulk, hits and counts
// must equal the model's at every step, with flushes, merges and operations by query between them.
import { expect, test } from 'vitest';
import { Rng } from '../support/rng.ts';
import { startService, type TestService } from '../support/service.ts';

type Doc = { n: number; k: string; t: string; l?: Array<{ q: number }> };

const IDS = 50;
const STEPS = 60;
const RAISE = { source: "if (ctx._source.n > 50) { ctx.op = 'delete' } else { ctx._source.n += 1 }" };

class Model {
  readonly docs = new Map<string, Doc>();

  /** One line or two of a bulk, and the status that the item must have. */
  random(rng: Rng): { lines: unknown[]; status: number } {
    const _id = `d${rng.int(0, IDS)}`;
    const known = this.docs.get(_id);
    const doc: Doc = { n: rng.int(0, 100), k: rng.pick(['a', 'b', 'c']), t: rng.pick(['red fox', 'blue dog']) };
    if (rng.bool(0.3)) doc.l = [{ q: rng.int(0, 5) }, { q: rng.int(0, 5) }];
    switch (rng.int(0, 6)) {
      case 0:
        this.docs.set(_id, doc);
        return { lines: [{ index: { _id } }, doc], status: known ? 200 : 201 };
      case 1:
        if (!known) this.docs.set(_id, doc);
        return { lines: [{ create: { _id } }, doc], status: known ? 409 : 201 };
      case 2:
        if (known) this.docs.set(_id, { ...known, n: doc.n });
        return { lines: [{ update: { _id } }, { doc: { n: doc.n } }], status: known ? 200 : 404 };
      case 3:
        this.docs.set(_id, known ? { ...known, k: doc.k } : doc);
        return { lines: [{ update: { _id } }, { doc: { k: doc.k }, upsert: doc }], status: known ? 200 : 201 };
      case 4:
        if (known && known.n > 50) this.docs.delete(_id);
        else if (known) this.docs.set(_id, { ...known, n: known.n + 1 });
        return { lines: [{ update: { _id } }, { script: RAISE }], status: known ? 200 : 404 };
      case 5:
        return { lines: [{ index: { _id } }, { n: 'no number' }], status: 400 };
      default:
        this.docs.delete(_id);
        return { lines: [{ delete: { _id } }], status: known ? 200 : 404 };
    }
  }

  where(holds: (doc: Doc) => boolean): Array<[string, Doc]> {
    return [...this.docs].filter(([, doc]) => holds(doc));
  }
}

async function bulk(service: TestService, model: Model, rng: Rng): Promise<void> {
  const items = Array.from({ length: rng.int(1, 30) }, () => model.random(rng));
  const body = items.flatMap(({ lines }) => lines.map((line) => `${JSON.stringify(line)}\n`)).join('');
  const answer = await service.request('POST', `/model/_bulk?refresh=${rng.bool(0.2)}`, body);
  const statuses = answer.body.items.map((item: Record<string, { status: number }>) => Object.values(item)[0].status);
  expect(statuses, JSON.stringify(answer.body)).toEqual(items.map(({ status }) => status));
}

async function byQuery(service: TestService, model: Model, rng: Rng): Promise<void> {
  await service.request('POST', '/model/_refresh');
  const query = { range: { n: { lt: 30 } } };
  const hit = model.where(({ n }) => n < 30);
  if (rng.bool()) {
    const { body } = await service.request('POST', '/model/_delete_by_query?scroll_size=7&refresh=true', { query });
    expect(body.deleted).toBe(hit.length);
    for (const [id] of hit) model.docs.delete(id);
  } else {
    const script = { source: 'ctx._source.n += 3' };
    const { body } = await service.request('POST', '/model/_update_by_query?scroll_size=7&refresh=true', { query, script });
    expect(body.updated).toBe(hit.length);
    for (const [id, doc] of hit) model.docs.set(id, { ...doc, n: doc.n + 3 });
  }
}

async function check(service: TestService, model: Model, rng: Rng): Promise<void> {
  const id = `d${rng.int(0, IDS)}`;
  expect((await service.request('GET', `/model/_doc/${id}`)).body._source).toEqual(model.docs.get(id));
  await service.request('POST', '/model/_refresh');
  const { body } = await service.request('POST', '/model/_search', {
    size: 100,
    sort: ['n'],
    aggs: { sum: { sum: { field: 'n' } }, l: { nested: { path: 'l' }, aggs: { q: { sum: { field: 'l.q' } } } } },
  });
  const found = body.hits.hits.map(({ _id, _source }: { _id: string; _source: Doc }) => [_id, _source]);
  expect(new Map(found)).toEqual(model.docs);
  const nested = [...model.docs.values()].flatMap(({ l }) => l ?? []);
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  expect(body.aggregations).toMatchObject({
    sum: { value: sum([...model.docs.values()].map(({ n }) => n)) },
    l: { doc_count: nested.length, q: { value: sum(nested.map(({ q }) => q)) } },
  });
  const red = await service.request('POST', '/model/_count', { query: { match: { t: 'red' } } });
  expect(red.body.count).toBe(model.where(({ t }) => t.includes('red')).length);
}

test('writes of all kinds, flushes and merges agree with a model', async () => {
  const service = await startService();
  try {
    for (const seed of [1, 2]) {
      const rng = new Rng(seed);
      const model = new Model();
      await service.request('DELETE', '/model?ignore_unavailable=true');
      await service.request('PUT', '/model', {
        settings: { number_of_shards: 3, refresh_interval: '-1' },
        mappings: {
          properties: {
            n: { type: 'integer' },
            k: { type: 'keyword' },
            l: { type: 'nested', properties: { q: { type: 'integer' } } },
          },
        },
      });
      for (let step = 0; step < STEPS; step++) {
        const action = rng.int(0, 10);
        if (action < 6) await bulk(service, model, rng);
        else if (action === 6) await service.request('POST', '/model/_flush');
        else if (action === 7) await service.request('POST', `/model/_forcemerge?max_num_segments=${rng.int(1, 2)}`);
        else if (action === 8) await byQuery(service, model, rng);
        else await check(service, model, rng);
      }
      await check(service, model, rng);
    }
  } finally {
    await service.stop();
  }
});
