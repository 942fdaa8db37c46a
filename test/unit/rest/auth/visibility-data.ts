// Indices with hidden documents and fields next to their twins, which never had either: the same requests to both must get the same answers
// (visibility-walk.test.ts). Every field type has a visible field `v_TYPE` and a hidden field `h_TYPE`.
import { hashPassword } from '../../../../src/security/password-hash.ts';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

type Json = Record<string, unknown>;

/** Parameters and the value in document `i` of a field of each type. `join` is a field of its own, because an index has one at most. */
export const TYPES: Readonly<Record<string, readonly [parameters: Json, value: (i: number) => unknown]>> = {
  text: [{ fielddata: true, term_vector: 'with_positions_offsets', store: true }, (i) => `quick fox ${WORDS[i % 4]} runs word${i}`],
  match_only_text: [{}, (i) => `quick ${WORDS[i % 4]} walks`],
  search_as_you_type: [{}, (i) => `quick ${WORDS[i % 4]} jumps`],
  keyword: [{ store: true }, (i) => `${WORDS[i % 4]}${i % 3}`],
  wildcard: [{}, (i) => `wild ${WORDS[i % 4]} ${i}`],
  constant_keyword: [{ value: 'same' }, () => undefined],
  byte: [{}, (i) => i],
  short: [{}, (i) => i * 10],
  integer: [{}, (i) => i],
  long: [{ store: true }, (i) => 4000 + i],
  float: [{}, (i) => i / 4],
  half_float: [{}, (i) => i / 2],
  double: [{}, (i) => i / 8],
  unsigned_long: [{}, (i) => i + 7],
  scaled_float: [{ scaling_factor: 100 }, (i) => i + 0.25],
  token_count: [{ analyzer: 'standard' }, (i) => 'a b c d e f g h i'.slice(0, 1 + (i % 5) * 2)],
  boolean: [{}, (i) => i % 3 === 0],
  date: [{}, (i) => `2024-01-${String(1 + i).padStart(2, '0')}`],
  date_nanos: [{}, (i) => `2024-02-${String(1 + i).padStart(2, '0')}T00:00:00.000000001Z`],
  ip: [{}, (i) => `10.0.0.${i}`],
  geo_point: [{}, (i) => ({ lat: i, lon: 2 * i })],
  geo_shape: [{}, (i) => `POINT (${i} ${i})`],
  shape: [{}, (i) => `POINT (${i} ${i})`],
  point: [{}, (i) => `${i},${i}`],
  percolator: [{}, (i) => ({ term: { team: i % 2 === 0 ? 'red' : 'blue' } })],
  integer_range: [{}, (i) => ({ gte: i, lte: i + 3 })],
  long_range: [{}, (i) => ({ gte: i, lte: i + 3 })],
  float_range: [{}, (i) => ({ gte: i, lte: i + 3 })],
  double_range: [{}, (i) => ({ gte: i, lte: i + 3 })],
  date_range: [{}, (i) => ({ gte: `2024-01-${String(1 + i).padStart(2, '0')}`, lte: '2024-02-01' })],
  ip_range: [{}, (i) => `10.0.${i}.0/24`],
  flat_object: [{}, (i) => ({ a: { b: WORDS[i % 4] } })],
  flattened: [{}, (i) => ({ a: { b: WORDS[i % 4] } })],
  rank_feature: [{}, (i) => i + 1],
  rank_features: [{}, (i) => ({ one: i + 1, [WORDS[i % 4]]: 2 })],
  dense_vector: [{ dims: 2, similarity: 'l2_norm' }, (i) => [i + 1, 1]],
  sparse_vector: [{}, (i) => ({ one: i + 1, [WORDS[i % 4]]: 2 })],
  binary: [{ doc_values: true }, (i) => Buffer.from(`bin${i}`).toString('base64')],
  completion: [{}, (i) => `quick ${WORDS[i % 4]}${i}`],
  version: [{}, (i) => `1.${i}.0`],
  murmur3: [{}, (i) => `hash ${i % 5}`],
  histogram: [{}, (i) => ({ values: [i + 0.5, i + 1.5], counts: [1, 2] })],
  aggregate_metric_double: [
    { metrics: ['min', 'max', 'sum', 'value_count'], default_metric: 'max' },
    (i) => ({ min: i, max: i + 2, sum: 3 * i, value_count: 3 }),
  ],
};
/** Every document contains the words of a few others. */
const WORDS = ['amber', 'brown', 'coral', 'dusky'];

/** What is hidden besides the fields `h_*`. */
const EXCEPT = ['h_*', 'both.h_*', 'v_text.h_*', 'v_kids.h_*'];
/** Fields that only the user `both` does not see. */
const ALSO_HIDDEN = ['relation', 'relation#*', 'empty.*'];

export const USER_NAMES = ['docs', 'fields', 'both'] as const;
export type User = (typeof USER_NAMES)[number];

interface Hidden {
  readonly documents: boolean;
  readonly fields: readonly string[];
}
const HIDDEN: Readonly<Record<User, Hidden>> = {
  docs: { documents: true, fields: [] },
  fields: { documents: false, fields: EXCEPT },
  both: { documents: true, fields: [...EXCEPT, ...ALSO_HIDDEN] },
};

const properties = (prefix: string): Json =>
  Object.fromEntries(Object.entries(TYPES).map(([type, [parameters]]) => [`${prefix}_${type}`, { type, ...parameters }]));
const values = (prefix: string, i: number): Json =>
  Object.fromEntries(
    Object.entries(TYPES).flatMap(([type, [, value]]) => (value(i) === undefined ? [] : [[`${prefix}_${type}`, value(i)]])),
  );

const isHidden = (name: string, fields: readonly string[]): boolean =>
  fields.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern));

const kid = { k: { type: 'keyword' }, n: { type: 'long' }, text: { type: 'text' } };

/** @param hidden  names of the fields to leave out */
function mappings(hidden: readonly string[]): Json {
  const all: Json = {
    team: { type: 'keyword' },
    '@timestamp': { type: 'date' },
    relation: { type: 'join', relations: { above: 'below' } },
    both: { properties: { seen: { type: 'keyword' }, h_pin: { type: 'keyword' } } },
    empty: { properties: { pin: { type: 'keyword' } } },
    h_object: { properties: { pin: { type: 'keyword' } } },
    v_kids: { type: 'nested', properties: { ...kid, h_k: { type: 'keyword' } } },
    h_kids: { type: 'nested', properties: kid },
    v_alias: { type: 'alias', path: 'v_long' },
    h_alias: { type: 'alias', path: 'v_long' },
    ...properties('v'),
    ...properties('h'),
  };
  all.v_text = { ...(all.v_text as Json), fields: { raw: { type: 'keyword' }, h_raw: { type: 'keyword' } } };
  // An alias of a hidden field is hidden, too.
  if (!hidden.includes('h_*')) all.v_to_hidden = { type: 'alias', path: 'h_long' };
  return { properties: without(all, hidden) };
}

/** @returns definitions without hidden ones, and without objects of which nothing is left */
function without(all: Json, hidden: readonly string[], prefix = ''): Json {
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, definition]) => {
      const path = prefix + name;
      if (isHidden(path, hidden)) return [];
      const out = { ...(definition as Json) };
      for (const below of ['properties', 'fields']) {
        if (out[below] === undefined) continue;
        out[below] = without(out[below] as Json, hidden, `${path}.`);
        if (Object.keys(out[below] as Json).length === 0 && below === 'properties') return [];
      }
      return [[name, out]];
    }),
  );
}

const isChildAt = (i: number): boolean => i % 5 === 4;
/** Document 0 is shown and document 1 is hidden: each has children of both kinds. */
const parentOf = (i: number): string => (i < 10 ? '0' : '1');

/** Document `i`, in the team `red`, which everybody sees, or `blue`. */
function document(i: number, isRed: boolean, hidden: readonly string[]): Json {
  const isChild = isChildAt(i);
  const all: Json = {
    team: isRed ? 'red' : 'blue',
    '@timestamp': `2024-03-01T00:${String(i).padStart(2, '0')}:00Z`,
    relation: isChild ? { name: 'below', parent: parentOf(i) } : 'above',
    both: { seen: `seen${i % 3}`, h_pin: `pin${i}` },
    empty: { pin: `pin${i}` },
    h_object: { pin: `pin${i}` },
    v_kids: [
      { k: WORDS[i % 4], n: i, text: `kid ${WORDS[i % 4]}`, h_k: 'secret' },
      { k: 'kid', n: 2 * i, text: 'kid' },
    ],
    h_kids: [{ k: WORDS[i % 4], n: i, text: 'kid' }],
    ...values('v', i),
    ...values('h', i),
  };
  return visibleSource(all, hidden);
}

/** A source as somebody writes who knows nothing of the hidden fields. */
function visibleSource(source: Json, hidden: readonly string[]): Json {
  const { both, empty, v_kids: kids, ...rest } = source;
  const out = Object.fromEntries(Object.entries(rest).filter(([name]) => !isHidden(name, hidden)));
  const hidesEmpty = isHidden('empty.pin', hidden);
  if (!hidden.includes('h_*')) return { ...out, both, empty, v_kids: kids };
  return {
    ...out,
    both: { seen: (both as Json).seen },
    ...(hidesEmpty ? {} : { empty }),
    v_kids: (kids as Json[]).map(({ h_k: _hidden, ...shown }) => shown),
  };
}

/** Batches of documents, each of which becomes a segment: mixed ones, one of hidden documents only, one of shown ones only. */
const BATCHES: ReadonlyArray<(i: number) => boolean> = [(i) => i % 2 === 0, () => false, (i) => i % 3 !== 0, () => true];
const PER_BATCH = 5;

function bulk(hidden: Hidden): Array<readonly Json[]> {
  return BATCHES.map((isRed, batch) =>
    Array.from({ length: PER_BATCH }, (_, at) => batch * PER_BATCH + at).flatMap((i) => {
      if (hidden.documents && !isRed(i)) return [];
      const routing = isChildAt(i) ? { routing: parentOf(i) } : {};
      return [{ index: { _id: String(i), ...routing } }, document(i, isRed(i), hidden.fields)];
    }),
  );
}

/** An index with everything for each user, and its twin, which contains what the user sees of it. */
interface Pair {
  readonly whole: string;
  readonly twin: string;
}
const PAIRS: Readonly<Record<User, Pair>> = {
  docs: { whole: 'even-whole', twin: 'even-docs' },
  fields: { whole: 'full-whole', twin: 'full-fields' },
  both: { whole: 'even-whole', twin: 'even-both' },
};
/** Statistics of terms count hidden documents, as they count deleted ones. Scores of this similarity do not depend on them. */
const EVEN = { default: { type: 'boolean' } };

/** Mapping and documents of an index with everything, as lines of `_bulk`. */
export function wholeIndex(): { readonly mappings: Json; readonly batches: ReadonlyArray<readonly Json[]> } {
  return { mappings: mappings([]), batches: bulk({ documents: false, fields: [] }) };
}

/** A node with the indices and the users of the walk. */
export class Twins {
  readonly #node: RestNode;

  private constructor(node: RestNode) {
    this.#node = node;
  }

  static async open(): Promise<Twins> {
    const hash = await hashPassword('pw');
    const roles = Object.fromEntries(
      USER_NAMES.map((user) => {
        const { documents, fields } = HIDDEN[user];
        const limits = {
          ...(documents ? { query: { term: { team: 'red' } } } : {}),
          ...(fields.length > 0 ? { field_security: { grant: ['*'], except: fields } } : {}),
        };
        const privileges = ['read', 'view_index_metadata', 'monitor'];
        const indices = [
          { names: [PAIRS[user].whole], privileges, ...limits },
          { names: [PAIRS[user].twin], privileges },
        ];
        return [user, { cluster: ['monitor'], indices }];
      }),
    );
    const users = Object.fromEntries(USER_NAMES.map((user) => [user, { password_hash: hash, roles: [user] }]));
    const node = await openRestNode({
      'security.users': { ...users, root: { password_hash: hash, roles: ['superuser'] } },
      'security.roles': roles,
    });
    const twins = new Twins(node);
    await twins.#ok('PUT /_cluster/settings', { persistent: { 'indices.id_field_data.enabled': true } });
    for (const whole of ['even-whole', 'full-whole']) await twins.#fill(whole, { documents: false, fields: [] });
    for (const user of USER_NAMES) await twins.#fill(PAIRS[user].twin, HIDDEN[user]);
    return twins;
  }

  async #fill(index: string, hidden: Hidden): Promise<void> {
    const similarity = index.startsWith('even') ? { similarity: EVEN } : {};
    const settings = { number_of_shards: 2, refresh_interval: -1, ...similarity };
    await this.#ok(`PUT /${index}`, { settings, mappings: mappings(hidden.fields) });
    for (const lines of bulk(hidden)) {
      if (lines.length === 0) continue;
      const answer = await this.#ok(`POST /${index}/_bulk?refresh=true`, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
      if (answer.errors === true) throw new Error(JSON.stringify(answer.items));
    }
  }

  async #ok(line: string, body: unknown): Promise<Json> {
    const { status, json, text } = await this.#as('root', line, body);
    if (status >= 300) throw new Error(`${line}: ${status} ${text}`);
    return json;
  }

  #as(user: string, line: string, body?: unknown): ReturnType<RestNode['send']> {
    return this.#node.send(line, body, { authorization: `Basic ${Buffer.from(`${user}:pw`).toString('base64')}` });
  }

  /** Sends a request, whose path and body name the index `INDEX`, to the index with hidden contents or to the twin of `user`. */
  async ask(user: User, isTwin: boolean, line: string, body?: unknown): Promise<{ status: number; text: string }> {
    const index = PAIRS[user][isTwin ? 'twin' : 'whole'];
    const text = body === undefined ? undefined : (typeof body === 'string' ? body : JSON.stringify(body)).replaceAll('INDEX', index);
    const answer = await this.#as(user, line.replaceAll('INDEX', index), text);
    return { status: answer.status, text: answer.text.replaceAll(index, 'INDEX') };
  }

  close(): Promise<void> {
    return this.#node.close();
  }
}
