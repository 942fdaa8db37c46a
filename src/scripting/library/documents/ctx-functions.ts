// Functions of scripts that change documents: `metadata()`, and in pipelines `field(path)` and `$(path, default)`. They read and write the `ctx` of the
// script that runs. Source: the scripting fields API in the documentation of Elasticsearch 8.
import '../time.ts';
import { CONTEXTS } from '../../contexts.ts';
import { defineClass, type Implementation } from '../../java/class-info.ts';
import { JavaMap } from '../../java/collections.ts';
import { illegalArgument } from '../../java/faults.ts';
import { equal, textOf } from '../../java/objects.ts';
import type { ScriptMap, Value } from '../../java/values.ts';
import type { ScriptContext } from '../../script-context.ts';
import { ZonedTime, zonedDateTime } from '../time/zoned-time.ts';

let current: ScriptMap = new JavaMap();

/** Runs a script whose functions see this `ctx`. */
export function withCtx<T>(ctx: ScriptMap, action: () => T): T {
  const outer = current;
  current = ctx;
  try {
    return action();
  } finally {
    current = outer;
  }
}

/** Metadata of the document in `ctx`. */
class Metadata {
  readonly ctx: ScriptMap;
  constructor(ctx: ScriptMap) {
    this.ctx = ctx;
  }
}

const TEXTS = { Index: '_index', Id: '_id', Routing: '_routing', VersionType: '_version_type', Op: 'op' } as const;
const METADATA: Record<string, Implementation> = {
  'long getVersion()': (self: Metadata) => BigInt(Number(self.ctx.get('_version') ?? 0)),
  'void setVersion(long)': (self: Metadata, version: bigint) => void self.ctx.set('_version', version),
  'boolean isAvailable(String)': (self: Metadata, name: string) => self.ctx.has(name),
};
for (const [name, key] of Object.entries(TEXTS)) {
  METADATA[`String get${name}()`] = (self: Metadata) => self.ctx.get(key) ?? null;
  METADATA[`void set${name}(String)`] = (self: Metadata, value: string) => void self.ctx.set(key, value);
}
for (const name of ['Now', 'Timestamp'])
  METADATA[`ZonedDateTime get${name}()`] = (self: Metadata) => timeOf(self.ctx.get('_now') ?? ingestTime(self.ctx));
defineClass('org.elasticsearch.script.Metadata', ['java.lang.Object'], { of: Metadata, members: METADATA });

function ingestTime(ctx: ScriptMap): Value {
  const ingest = ctx.get('_ingest');
  return ingest instanceof Map ? (ingest.get('timestamp') ?? null) : null;
}

function timeOf(value: Value): Value {
  if (value instanceof ZonedTime) return value;
  const ms = typeof value === 'string' ? Date.parse(value) : Number(value ?? Date.now());
  return zonedDateTime(Number.isNaN(ms) ? Date.now() : ms);
}

/** A path in the document, whose values can be read and changed. */
class WriteField {
  readonly #ctx: ScriptMap;
  readonly path: string;

  constructor(ctx: ScriptMap, path: string) {
    if (path === '') illegalArgument('path must not be empty');
    this.#ctx = ctx;
    this.path = path;
  }

  /** The map that contains the last part of the path; null if there is none. @param makes  creates missing maps */
  #parent(makes: boolean): { readonly map: ScriptMap; readonly key: string } | null {
    let map = this.#ctx;
    let rest = this.path;
    for (;;) {
      if (map.has(rest)) return { map, key: rest };
      const dot = rest.indexOf('.');
      if (dot < 0) return { map, key: rest };
      const name = rest.slice(0, dot);
      let child = map.get(name);
      if (!(child instanceof Map)) {
        if (child !== undefined) illegalArgument(`Segment [${name}] has value [${textOf(child)}] of type that is not a map`);
        if (!makes) return null;
        map.set(name, (child = new JavaMap()));
      }
      map = child as ScriptMap;
      rest = rest.slice(dot + 1);
    }
  }

  get exists(): boolean {
    const place = this.#parent(false);
    return place?.map.has(place.key) ?? false;
  }

  /** A value that is not a list is a list of one. */
  get list(): Value[] {
    const place = this.#parent(false);
    const value = place?.map.get(place.key);
    return value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
  }

  [Symbol.iterator](): Iterator<Value> {
    return [...this.list][Symbol.iterator]();
  }

  set(value: Value): this {
    const place = this.#parent(true);
    place?.map.set(place.key, value);
    return this;
  }

  remove(): void {
    const place = this.#parent(false);
    place?.map.delete(place.key);
  }

  append(value: Value): this {
    return this.exists ? this.set([...this.list, value]) : this.set(value);
  }

  moveTo(path: string, overwrites: boolean): WriteField {
    const target = new WriteField(this.#ctx, path);
    if (!this.exists) return target;
    if (target.exists && !overwrites) illegalArgument(`Cannot move to non-empty destination [${path}]`);
    const place = this.#parent(false);
    const value = place?.map.get(place.key) ?? null;
    this.remove();
    return target.set(value);
  }

  static at(path: string): WriteField {
    return new WriteField(current, path);
  }
}

type Run = (value: Value) => Value;
const changed = (self: WriteField, change: (list: Value[]) => Value[]): WriteField => {
  const { list } = self;
  if (!list.length) return self;
  const after = change(list);
  return self.set(after.length === 1 ? after[0] : after);
};

defineClass('org.elasticsearch.script.field.WriteField', ['java.lang.Iterable'], {
  of: WriteField,
  members: {
    'String getName()': (self: WriteField) => self.path,
    'boolean exists()': (self: WriteField) => self.exists,
    'boolean isEmpty()': (self: WriteField) => self.list.length === 0,
    'int size()': (self: WriteField) => self.list.length,
    'def get(def)': (self: WriteField, other: Value) => self.list[0] ?? other,
    'def get(int,def)': (self: WriteField, index: number, other: Value) => self.list[index] ?? other,
    'boolean hasValue(Predicate)': (self: WriteField, test: Run) => self.list.some((value) => test(value) === true),
    'WriteField set(def)': (self: WriteField, value: Value) => self.set(value),
    'WriteField append(def)': (self: WriteField, value: Value) => self.append(value),
    'void remove()': (self: WriteField) => self.remove(),
    'WriteField removeValue(int)': (self: WriteField, index: number) => changed(self, (list) => list.filter((_, i) => i !== index)),
    'WriteField removeValuesIf(Predicate)': (self: WriteField, test: Run) =>
      changed(self, (list) => list.filter((value) => test(value) !== true)),
    'WriteField transform(Function)': (self: WriteField, change: Run) => changed(self, (list) => list.map((value) => change(value))),
    'WriteField deduplicate()': (self: WriteField) =>
      changed(self, (list) => list.filter((value, i) => list.findIndex((other) => equal(other, value)) === i)),
    'WriteField move(String)': (self: WriteField, path: string) => self.moveTo(path, false),
    'WriteField overwrite(String)': (self: WriteField, path: string) => self.moveTo(path, true),
  },
});

const UPDATE_FUNCTIONS: Readonly<Record<string, Implementation>> = {
  'org.elasticsearch.script.Metadata metadata()': () => new Metadata(current),
};

/** Scripts that update documents, run within `withCtx`. */
export const UPDATE_CONTEXT: ScriptContext = { ...CONTEXTS.update, functions: UPDATE_FUNCTIONS };

/** Scripts in pipelines, run within `withCtx`. */
export const INGEST_CONTEXT: ScriptContext = {
  ...CONTEXTS.ingest,
  functions: {
    ...UPDATE_FUNCTIONS,
    'org.elasticsearch.script.field.WriteField field(String)': (path: string) => WriteField.at(path),
    'def $(String,def)': (path: string, other: Value) => WriteField.at(path).list[0] ?? other,
  },
};
