// Names from the running service: indices, aliases, data streams, and their fields. Cached for a few seconds.
import type { MappingProperties } from './mapping-types.ts';
import { call, pathPart } from './service.ts';

const KEEP_MS = 5000;

class Recent<T> {
  readonly #load: (key: string) => Promise<T>;
  readonly #values = new Map<string, { readonly value: Promise<T>; readonly untilMs: number }>();

  constructor(load: (key: string) => Promise<T>) {
    this.#load = load;
  }

  get(key: string): Promise<T> {
    const known = this.#values.get(key);
    if (known && known.untilMs > Date.now()) return known.value;
    const value = this.#load(key);
    this.#values.set(key, { value, untilMs: Date.now() + KEEP_MS });
    value.catch(() => this.#values.delete(key));
    return value;
  }
}

interface Resolved {
  readonly indices: ReadonlyArray<{ readonly name: string }>;
  readonly aliases: ReadonlyArray<{ readonly name: string }>;
  readonly data_streams: ReadonlyArray<{ readonly name: string }>;
}

const indexNames = new Recent(async () => {
  const { indices, aliases, data_streams } = await call<Resolved>('GET', '/_resolve/index/*?expand_wildcards=open');
  return [...indices, ...aliases, ...data_streams].map(({ name }) => name).sort();
});

const fieldsByIndex = new Recent(async (index: string) => {
  const mappings = await call<Record<string, { mappings: { properties?: MappingProperties } }>>(
    'GET',
    `/${index === '' ? '' : `${index.split(',').map(pathPart).join(',')}/`}_mapping`,
  );
  const fields = new Map<string, string>();
  for (const { mappings: mapping } of Object.values(mappings)) addFields(fields, '', mapping.properties ?? {});
  return fields;
});

function addFields(into: Map<string, string>, prefix: string, properties: MappingProperties): void {
  for (const [name, { type, properties: inner, fields }] of Object.entries(properties)) {
    const path = prefix + name;
    if (type !== undefined && type !== 'object') into.set(path, type);
    if (inner) addFields(into, `${path}.`, inner);
    if (fields) addFields(into, `${path}.`, fields);
  }
}

/** Indices, aliases and data streams, sorted. @throws RequestError */
export const liveIndices = (): Promise<string[]> => indexNames.get('');

/** Types of fields by path. @param index  an index expression; null for all indices. @throws RequestError */
export const liveFields = (index: string | null): Promise<ReadonlyMap<string, string>> => fieldsByIndex.get(index ?? '');
