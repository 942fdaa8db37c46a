// The first difference between a recorded answer and one of the service.
import { type Compare, type Recorded, sorted } from './answer.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

export interface Difference {
  readonly path: string;
  readonly expected: Json | undefined;
  readonly actual: Json | undefined;
}

/** Types under which the recorded servers and this one report the same error. */
const SAME_ERROR: ReadonlyArray<ReadonlySet<string>> = [
  'mapper_parsing_exception document_parsing_exception',
  'json_parse_exception x_content_parse_exception parse_exception parsing_exception',
  'json_e_o_f_exception x_content_e_o_f_exception x_content_parse_exception parsing_exception',
  'input_coercion_exception x_content_parse_exception illegal_argument_exception',
  'too_many_clauses too_many_nested_clauses query_shard_exception',
  'rejected_execution_exception es_rejected_execution_exception',
  'strict_dynamic_mapping_exception document_parsing_exception',
  'class_cast_exception illegal_argument_exception',
  'null_pointer_exception illegal_argument_exception',
  'number_format_exception illegal_argument_exception',
  'array_index_out_of_bounds_exception illegal_argument_exception',
  'named_object_not_found_exception x_content_parse_exception parsing_exception',
].map((names) => new Set(names.split(' ')));

/** null: the answers are equal as far as the case compares them. Of errors types are compared, not reasons. */
export function differenceOf(expected: Recorded, actual: Recorded, compare: Compare): Difference | null {
  // The recorded server answered some bad requests with a failure of its own; a refusal is as good.
  if (compare.body === 'error' && expected.status >= 500 && actual.status >= 400 && actual.status < 500) return null;
  for (const key of ['status', 'type', 'location'] as const) {
    if (expected[key] !== undefined && expected[key] !== actual[key]) return { path: key, expected: expected[key], actual: actual[key] };
  }
  if (expected.allow && String(expected.allow) !== String(actual.allow))
    return { path: 'allow', expected: String(expected.allow), actual: String(actual.allow) };
  if (expected.body === undefined || compare.body === 'none') return null;
  if (compare.body === 'error') return errorDifference(expected.body, actual.body);
  const comparison = new Comparison(compare);
  if (!compare.unordered || actual.body === undefined) return comparison.of(expected.body, actual.body, 'body');
  return comparison.of(sorted(expected.body), sorted(actual.body), 'body');
}

function isSameError(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || SAME_ERROR.some((names) => names.has(String(a)) && names.has(String(b)));
}

function errorDifference(expected: Json, actual: Json | undefined): Difference | null {
  const wanted = isObject(expected) ? expected.error : undefined;
  const found = isObject(actual) ? actual.error : undefined;
  // A string, or no error at all: some of the recorded servers accept what others refuse.
  if (!isObject(wanted)) return (found === undefined) === (wanted === undefined) ? null : { path: 'body.error', expected: wanted, actual };
  const type = isObject(found) ? found.type : undefined;
  if (!isSameError(wanted.type, type)) return { path: 'body.error.type', expected: wanted.type, actual: type ?? actual };
  if (wanted.type !== 'search_phase_execution_exception') return null;
  const [want, got] = [rootCause(wanted), rootCause(found)];
  return isSameError(want, got) ? null : { path: 'body.error.root_cause.0.type', expected: want, actual: got };
}

function rootCause(error: Json | undefined): Json | undefined {
  const causes = isObject(error) ? error.root_cause : undefined;
  const first = Array.isArray(causes) ? causes[0] : undefined;
  return isObject(first) ? first.type : undefined;
}

class Comparison {
  readonly #hits: 'ordered' | 'ties' | 'set';
  readonly #tolerance: number | null;

  constructor({ hits = 'ties', tolerance }: Compare) {
    this.#hits = hits;
    this.#tolerance = tolerance ?? null;
  }

  of(expected: Json | undefined, actual: Json | undefined, path: string): Difference | null {
    const differs = { path, expected, actual };
    if (typeof expected === 'number' && typeof actual === 'number') return this.#isClose(expected, actual) ? null : differs;
    if (Array.isArray(expected) && Array.isArray(actual)) {
      if (expected.length !== actual.length) return { path: `${path}.length`, expected: expected.length, actual: actual.length };
      return first(expected.keys(), (i) => this.of(expected[i], actual[i], `${path}.${i}`));
    }
    if (isObject(expected) && isObject(actual)) return this.#ofObjects(expected, actual, path);
    return expected === actual ? null : differs;
  }

  #ofObjects(expected: JsonObject, actual: JsonObject, path: string): Difference | null {
    if (typeof expected.type === 'string' && typeof expected.reason === 'string')
      return isSameError(expected.type, actual.type) ? null : { path: `${path}.type`, expected: expected.type, actual: actual.type };
    return first(new Set([...Object.keys(expected), ...Object.keys(actual)]), (key) => {
      // Explanations are compared by their numbers.
      if (key === 'description' && 'details' in expected && 'details' in actual) return null;
      if (key === 'hits' && this.#hits !== 'ordered' && isHitList(expected.hits) && Array.isArray(actual.hits))
        return this.#ofHits(expected, actual, path);
      return this.of(expected[key], actual[key], `${path}.${key}`);
    });
  }

  /** Hits with equal sort values may come in any order; where the page ends within such a group, any of its members may be on it. */
  #ofHits(expected: JsonObject, actual: JsonObject, path: string): Difference | null {
    const [wanted, found] = [expected.hits as JsonObject[], actual.hits as JsonObject[]];
    if (wanted.length !== found.length) return { path: `${path}.hits.length`, expected: wanted.length, actual: found.length };
    if (this.#hits === 'ties') {
      const place = (hit: JsonObject): Json => hit?.sort ?? [hit?._score ?? null];
      const misplaced = first(wanted.keys(), (i) =>
        this.of(place(wanted[i]), place(found[i]), `${path}.hits.${i}.${wanted[i].sort ? 'sort' : '_score'}`),
      );
      if (misplaced) return misplaced;
    }
    const total = isObject(expected.total) ? expected.total.value : expected.total;
    const isCut = !(typeof total === 'number' && total <= wanted.length);
    const open = new Set(isCut && wanted.length > 0 ? [this.#tie(wanted[0]), this.#tie(wanted[wanted.length - 1])] : []);
    const byId = new Map(found.map((hit) => [identity(hit), hit]));
    return first(wanted.keys(), (i) => {
      const other = byId.get(identity(wanted[i]));
      if (other) return this.of(wanted[i], other, `${path}.hits.${i}`);
      return open.has(this.#tie(wanted[i])) ? null : { path: `${path}.hits.${i}`, expected: wanted[i]._id, actual: found[i]?._id };
    });
  }

  #tie(hit: JsonObject): string {
    if (this.#hits === 'set') return '';
    const values = Array.isArray(hit.sort) ? hit.sort : [hit._score];
    return JSON.stringify(values.map((value) => (typeof value === 'number' ? Number(value.toPrecision(6)) : value)));
  }

  #isClose(a: number, b: number): boolean {
    if (a === b) return true;
    if (this.#tolerance === null && Number.isSafeInteger(a) && Number.isSafeInteger(b)) return false;
    return Math.abs(a - b) <= Math.max(1e-9, (this.#tolerance ?? 1e-6) * Math.max(Math.abs(a), Math.abs(b)));
  }
}

function isHitList(value: Json | undefined): boolean {
  return Array.isArray(value) && value.every((hit) => isObject(hit) && Boolean(hit._id));
}

function identity({ _index, _id, _nested }: JsonObject): string {
  return JSON.stringify([_index, _id, _nested]);
}

function first<T>(items: Iterable<T>, find: (item: T) => Difference | null): Difference | null {
  for (const item of items) {
    const found = find(item);
    if (found) return found;
  }
  return null;
}
