// Random bodies of requests of every family: each is answered or refused with a clear error. None causes an internal error (500) or ends the node, and
// none changes the index that is only read. FUZZ_ROUNDS sets the requests of each family, GANNET_SEED the first seed.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROCESSORS as KNOWN_PROCESSORS } from '../../src/ingest/processors/registry.ts';
import { openRestNode, type RestNode } from '../support/rest-node.ts';
import { Rng } from '../support/rng.ts';
import { wholeIndex } from '../unit/rest/auth/visibility-data.ts';
import { FAMILIES } from './body-families.ts';
import { FAULT } from './mutations.ts';
import { PROCESSORS } from './pipeline-seeds.ts';

const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? 40);
const FIRST_SEED = Number(process.env.GANNET_SEED ?? 1);
/** Errors that have the status 500 in Elasticsearch, too, with a reason that names the problem of the request: `runtime_exception` is of analysis rules, the last three
 * are of ingest processors. */
const OWN_500 =
  /"type":"(?:aggregation_(?:execution|initialization)_exception|illegal_state_exception|runtime_exception|fail_processor_exception|find_match|class_cast_exception)"/;

let node: RestNode;
let count = 0;
beforeAll(async () => {
  node = await openRestNode();
  const { mappings, batches } = wholeIndex();
  await node.ok('PUT /seed', { settings: { number_of_shards: 2, refresh_interval: -1 }, mappings });
  for (const lines of batches) {
    const { errors, items } = await node.ok('POST /seed/_bulk?refresh=true', lines);
    expect(errors, JSON.stringify(items)).toBe(false);
  }
  count = (await node.ok('GET /seed/_count')).count;
});
afterAll(() => node.close());

/** What is wrong with an answer, or null. */
function problemOf(status: number, text: string): string | null {
  const fault = FAULT.exec(text);
  if (fault !== null) return fault[0];
  if (status >= 500 && status !== 503 && !OWN_500.test(text)) return String(status);
  const item = /"status":5(?!03)\d\d/.exec(text);
  return item === null || OWN_500.test(text) ? null : item[0];
}

test('every processor has a seed', () => {
  expect(Object.keys(PROCESSORS).sort()).toEqual([...KNOWN_PROCESSORS.keys()].sort());
});

test.each(Object.keys(FAMILIES))('%s', { timeout: 60_000 + ROUNDS * 1000 }, async (family) => {
  const found = new Map<string, string>();
  for (let seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed++) {
    for (const [line, body] of FAMILIES[family](new Rng(seed))) {
      const named = typeof body === 'string' ? body.replaceAll('INDEX', 'seed') : body;
      const { status, text } = await node.exchange(line.replaceAll('INDEX', 'seed'), { body: named });
      const problem = problemOf(status, text);
      if (problem === null) continue;
      const at = Math.max(0, text.indexOf(problem) - 200);
      const reason = /"reason":"[^"]{0,100}/.exec(text.slice(at))?.[0] ?? '';
      found.set(
        `${problem} ${reason}`,
        `seed ${seed}: ${line} ${named.toString().slice(0, 1500)}\n  ${status} ${text.slice(at, at + 400)}`,
      );
    }
  }
  expect([...found.values()].join('\n')).toBe('');
  expect((await node.ok('GET /seed/_count')).count).toBe(count);
});
