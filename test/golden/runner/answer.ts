// An answer in the form in which answers were recorded: without values that change from run to run, reduced as the case specifies.
import { isObject, type Json, type JsonObject, jsonOf, valueAt } from './json.ts';

/** How a step is compared; by default whole and exactly. */
export interface Compare {
  /** `error`: type of the error; `keys`: the shape; `columns`: the first line of a table; `none`: the status alone. */
  readonly body?: 'error' | 'keys' | 'columns' | 'none';
  /** Order of hits: as recorded, free among equal sort values (the default), or free. */
  readonly hits?: 'ordered' | 'ties' | 'set';
  /** Relative tolerance of all numbers. */
  readonly tolerance?: number;
  /** Paths left out: `*` is any key, `**` any number of them. */
  readonly ignore?: readonly string[];
  /** The only paths compared. */
  readonly only?: readonly string[];
  /** Volatile keys that count. */
  readonly keep?: readonly string[];
  /** Lists are sets. */
  readonly unordered?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

export interface Recorded {
  readonly status: number;
  readonly type?: string;
  readonly allow?: readonly string[];
  readonly location?: string;
  readonly body?: Json;
}

const VOLATILE: ReadonlySet<string> = new Set(
  (
    'took phase_took ingest_took uuid _shards _scroll_id pit_id index_uuid stack_trace node throttled_millis requests_per_second ' +
    'throttled_until_millis'
  ).split(' '),
);

export function recordedForm({ status, headers, text }: Answer, compare: Compare, method: string): Recorded {
  const { 'content-type': type, allow, location } = headers;
  const head = {
    status,
    ...(text !== '' && type !== undefined ? { type: type.split(';')[0].trim().toLowerCase() } : {}),
    ...(allow === undefined
      ? {}
      : {
          allow: allow
            .split(',')
            .map((name) => name.trim())
            .sort(),
        }),
    ...(location === undefined || compare.ignore?.includes('location') ? {} : { location }),
  };
  if (method === 'HEAD' || compare.body === 'none') return head;
  const body = bodyOf(text, compare);
  return body === undefined ? head : { ...head, body };
}

function bodyOf(text: string, compare: Compare): Json | undefined {
  const json = jsonOf(text);
  if (json === undefined) return tableOf(text, compare);
  if (compare.body === 'error') return errorOf(json);
  let body = withoutVolatile(json, compare.keep ?? []);
  for (const path of compare.ignore ?? []) removeAt(body, path.split('.'));
  if (compare.only) body = Object.fromEntries(compare.only.map((path) => [path, valueAt(body, path) ?? null]));
  return compare.body === 'keys' ? shapeOf(body) : body;
}

/** Lines with single spaces between columns. */
function tableOf(text: string, compare: Compare): Json | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .filter((line) => line !== '');
  if (compare.body === 'columns') return lines[0]?.split(' ') ?? [];
  return lines.length === 0 || compare.body === 'error' ? undefined : lines.join('\n');
}

/** A text without ids of indices and hash codes of Java objects. */
function stable(text: string): string {
  return text.replaceAll(/\[([^\]/[]+)\/[\w-]{22}\]/g, '[$1]').replaceAll(/@[0-9a-f]{5,8}\b/g, '');
}

/** Type and reason of an error and of its root causes. */
function errorOf(body: Json): Json {
  if (!isObject(body) || !isObject(body.error)) return body;
  const brief = ({ type, reason }: JsonObject): JsonObject => ({ type, reason: typeof reason === 'string' ? stable(reason) : reason });
  const causes = Array.isArray(body.error.root_cause) ? body.error.root_cause.filter(isObject).map(brief) : [];
  return { error: { root_cause: causes, ...brief(body.error) }, status: body.status };
}

function withoutVolatile(value: Json, keep: readonly string[]): Json {
  if (Array.isArray(value)) return value.map((item) => withoutVolatile(item, keep));
  if (typeof value === 'string') return stable(value);
  if (!isObject(value)) return value;
  const isError = typeof value.type === 'string' && typeof value.reason === 'string';
  const kept = Object.entries(value).filter(
    ([key]) => (!VOLATILE.has(key) || keep.includes(key)) && (!isError || key === 'type' || key === 'reason'),
  );
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutVolatile(item, keep)]));
}

function removeAt(value: Json | undefined, [key, ...rest]: readonly string[]): void {
  if (typeof value !== 'object' || value === null) return;
  const container = value as JsonObject;
  if (key === '**') {
    removeAt(value, rest);
    for (const item of Object.values(container)) removeAt(item, ['**', ...rest]);
    return;
  }
  for (const name of key === '*' ? Object.keys(container) : [key]) {
    if (rest.length > 0) removeAt(container[name], rest);
    else delete container[name];
  }
}

/** The value with lists and keys in one order, for lists that are sets. */
export function sorted(value: Json): Json {
  if (Array.isArray(value)) {
    const items = value.map(sorted).map((item) => ({ item, key: JSON.stringify(item) }));
    return items.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ item }) => item);
  }
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}

function shapeOf(value: Json): Json {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shapeOf(item)]));
  return value === null ? 'null' : typeof value;
}
