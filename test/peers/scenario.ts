// Requests that are sent to the service and to a peer, and the data that both hold.
import type { Rng } from '../support/rng.ts';

export interface PeerRequest {
  /** `METHOD /path?query`. */
  readonly line: string;
  /** A JSON value, a string that is sent unchanged, or the lines of an NDJSON body. */
  readonly body?: unknown;
  /** Only the names of the members are compared, for answers that describe the server: statistics, tables. */
  readonly shape?: boolean;
}

/** Requests in order, whose last answers depend on the earlier ones. What they create is called `tmp-...`. */
export type Scenario = readonly PeerRequest[];

/** Makes one scenario. */
export type Family = (rng: Rng) => Scenario;

/** The index that read-only families query. */
export const INDEX = 'p-main';
/** A second index, with other types for some of the fields. */
export const OTHER = 'p-other';

const PROPERTIES = {
  title: { type: 'text', fields: { raw: { type: 'keyword', ignore_above: 20 } } },
  body: { type: 'text' },
  tag: { type: 'keyword' },
  count: { type: 'integer' },
  big: { type: 'long' },
  price: { type: 'double' },
  ratio: { type: 'float' },
  flag: { type: 'boolean' },
  at: { type: 'date' },
  exact: { type: 'date_nanos' },
  ip: { type: 'ip' },
  place: { type: 'geo_point' },
  span: { type: 'integer_range' },
  owner: { properties: { name: { type: 'keyword' }, age: { type: 'short' } } },
  parts: { type: 'nested', properties: { sku: { type: 'keyword' }, n: { type: 'integer' } } },
  all: { type: 'text' },
  from: { type: 'keyword', copy_to: 'all' },
};

export const WORDS = 'alpha beta gamma delta storm sea salt quick brown fox lazy dog river stone light'.split(' ');
export const TAGS = ['red', 'green', 'blue', 'dark red', 'Ärger', ''];
const DOCUMENTS = 120;

/** Requests that create the data, the same on both servers. */
export function dataRequests(rng: Rng): Scenario {
  // Without refreshes in between, both sides have one segment with the documents in the same order.
  const settings = { number_of_shards: 1, number_of_replicas: 0, refresh_interval: '-1' };
  const lines = (count: number) => Array.from({ length: count }, (_, i) => [{ index: { _id: String(i + 1) } }, documentOf(rng)]).flat();
  return [
    { line: `PUT /${INDEX}`, body: { settings, mappings: { properties: PROPERTIES } } },
    {
      line: `PUT /${OTHER}`,
      body: { settings, mappings: { properties: { tag: { type: 'keyword' }, count: { type: 'double' }, price: { type: 'long' } } } },
    },
    { line: `POST /${INDEX}/_bulk?refresh=true`, body: lines(DOCUMENTS) },
    {
      line: `POST /${OTHER}/_bulk?refresh=true`,
      body: Array.from({ length: 10 }, (_, i) => [{ index: { _id: `o${i}` } }, { tag: rng.pick(TAGS), count: i / 2, price: i }]).flat(),
    },
    { line: `PUT /${INDEX}/_alias/p-alias`, body: { filter: { term: { flag: true } } } },
    { line: `POST /${INDEX}/_forcemerge?max_num_segments=1` },
  ];
}

export function textOf(rng: Rng, most = 8): string {
  return Array.from({ length: rng.int(1, most) }, () => rng.pick(WORDS)).join(' ');
}

export function dateOf(rng: Rng): string {
  return new Date(Date.UTC(2023, 0, 1) + rng.int(0, 700) * 86_400_000 + rng.int(0, 86_399) * 1000).toISOString();
}

/** A document of the index; fields are missing, null or lists at times. */
export function documentOf(rng: Rng): Record<string, unknown> {
  const document: Record<string, unknown> = {};
  const put = (name: string, value: () => unknown, lists = true): void => {
    if (rng.bool(0.15)) return;
    document[name] = rng.bool(0.04) ? null : lists && rng.bool(0.15) ? [value(), value()] : value();
  };
  put('title', () => textOf(rng, 5));
  put('body', () => textOf(rng, 14));
  put('tag', () => rng.pick(TAGS));
  put('from', () => rng.pick(WORDS), false);
  put('count', () => rng.int(-5, 20));
  put('big', () => rng.pick([1, 2 ** 31, 9_007_199_254_740_991, -7, 1_700_000_000_000]));
  put('price', () => rng.pick([0, 1, 2.5, 19.99, -3, 1e7, 0.0001, 1234.5]));
  put('ratio', () => rng.pick([0.5, 1, 2.25, 3]));
  put('flag', () => rng.bool(), false);
  put('at', () => dateOf(rng));
  put('exact', () => dateOf(rng).replace('Z', '456789Z'), false);
  put('ip', () => `10.0.${rng.int(0, 3)}.${rng.int(1, 20)}`);
  put('place', () => ({ lat: rng.int(-80, 80) + 0.25, lon: rng.int(-170, 170) + 0.5 }), false);
  put('span', () => ({ gte: rng.int(0, 5), lt: rng.int(6, 12) }), false);
  put('owner', () => ({ name: rng.pick(WORDS), age: rng.int(1, 90) }), false);
  put('parts', () => Array.from({ length: rng.int(1, 3) }, () => ({ sku: rng.pick(WORDS), n: rng.int(0, 9) })), false);
  return document;
}
