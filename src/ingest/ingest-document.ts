// A document in a pipeline: its source and metadata (`_index`, `_id`, `_routing`, ...) as one object of fields, and the state of the pipelines under
// `_ingest`. Fields are addressed by paths: `a.b.0`, `_source.a`, `_ingest.timestamp`. Compiled steps are declared here, too, since they refer to it.

import { JsonFloat } from '../common/json/json-float.ts';
import type { JsonObject, MutableJsonObject } from '../common/json/json-value.ts';
import { writeJson } from '../common/json/json-write.ts';
import { setOwn } from '../common/json/own-property.ts';
import { isJsonObject } from '../common/json/source-numbers.ts';
import { javaClass } from '../common/text/java-text.ts';
import { checkTurn } from '../common/turns/turn.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import { renderTemplate } from '../scripting/mustache.ts';
import type { StoredScript } from '../scripting/script-spec.ts';

export const METADATA = ['_index', '_id', '_routing', '_version', '_version_type', '_if_seq_no', '_if_primary_term'] as const;

/** Runs a processor. @returns false to drop the document */
export type Action = (document: IngestDocument) => boolean | undefined;

/** The condition of a processor (`if`). */
export interface Condition {
  readonly text: string;
  holds(document: IngestDocument): boolean;
}

export interface Step {
  readonly type: string;
  readonly tag: string | null;
  readonly description: string | null;
  readonly condition: Condition | null;
  readonly ignoreFailure: boolean;
  readonly onFailure: readonly Step[];
  readonly run: Action;
  /** For a `pipeline` processor: resolves the pipeline to run for a document. null for other processors. */
  readonly pipelineOf: ((document: IngestDocument) => Pipeline | null) | null;
}

export interface Pipeline {
  readonly id: string;
  readonly steps: readonly Step[];
  readonly onFailure: readonly Step[];
}

/** Lookups that processors can make. */
export interface IngestEnvironment {
  /** @returns null if there is no such pipeline. @throws ApiError it does not compile */
  pipeline(id: string): Pipeline | null;
  storedScript(id: string): StoredScript | null;
  /** Sources that match a value under an enrich policy; null if the policy does not exist or was not executed. @throws ApiError */
  enrich(policy: string, value: unknown, options: EnrichOptions): MutableJsonObject[] | null;
}

export interface EnrichOptions {
  readonly maxMatches: number;
  /** Of shapes: INTERSECTS, DISJOINT, WITHIN, CONTAINS. */
  readonly relation: string;
}

/** The depth to which a document may nest, as in a body. */
const MAX_PATH_PARTS = 1000;
/**
 * Limit of what processors may copy within a document, in characters; each value adds a fixed cost. Copies of copies grow exponentially.
 */
const MAX_COPIED_CHARS = 64 << 20;
const CHARS_PER_VALUE = 16;

export class IngestDocument {
  readonly fields: MutableJsonObject;
  readonly ingest: MutableJsonObject;
  /** Ids of the running pipelines, from the outermost. */
  readonly running = new Set<string>();
  /** True after a `reroute` processor: the rest of the pipeline is skipped, and the pipelines of the new index follow. */
  rerouted = false;

  /** Characters that may still be copied; negative after the limit was exceeded. */
  #copyable = MAX_COPIED_CHARS;

  constructor(
    source: MutableJsonObject,
    metadata: MutableJsonObject,
    readonly env: IngestEnvironment,
    ingest: MutableJsonObject = { timestamp: new Date().toISOString() },
  ) {
    this.fields = copyOf(source) as MutableJsonObject;
    for (const [key, value] of Object.entries(metadata)) if (value !== null && value !== undefined) setOwn(this.fields, key, value);
    this.ingest = ingest;
  }

  /** A deep copy of the current state. */
  snapshot(): IngestDocument {
    return new IngestDocument(this.fields, {}, this.env, copyOf(this.ingest) as MutableJsonObject);
  }

  /** The fields without metadata. */
  source(): MutableJsonObject {
    const source: MutableJsonObject = {};
    for (const [key, value] of Object.entries(this.fields)) if (!isMetadata(key)) setOwn(source, key, value);
    return source;
  }

  metadata(name: (typeof METADATA)[number]): unknown {
    return this.fields[name] ?? null;
  }

  /** Replaces `{{field}}` in a text. @throws ApiError script_exception */
  render(template: string): string {
    if (!template.includes('{{')) return template;
    return renderTemplate(template, { ...this.fields, _source: this.fields, _ingest: this.ingest });
  }

  /** Renders the templates in a value, at any depth. */
  renderValue(value: unknown): unknown {
    if (typeof value === 'string') return this.render(value);
    if (Array.isArray(value)) return value.map((item) => this.renderValue(item));
    if (!isJsonObject(value)) return value;
    const out: MutableJsonObject = {};
    for (const [key, item] of Object.entries(value)) setOwn(out, this.render(key), this.renderValue(item));
    return out;
  }

  /** @throws ApiError illegal_argument_exception: the field does not exist */
  get(path: string): unknown {
    const { root, names } = this.#parse(path);
    return names.reduce((at: unknown, name) => stepInto(at, name, path), root);
  }

  /** A deep copy of a field. @throws ApiError illegal_argument_exception: the field does not exist, or the document has been copied too often */
  copyOf(path: string): unknown {
    const value = this.get(path);
    this.#copyable = spend(value, this.#copyable);
    if (this.#copyable < 0) throw illegalArgumentError(`processors copy more than ${MAX_COPIED_CHARS} characters within a document`);
    return copyOf(value);
  }

  has(path: string): boolean {
    const { root, names } = this.#parse(path);
    let at: unknown = root;
    for (const name of names) {
      if (Array.isArray(at)) {
        if (!/^\d+$/.test(name) || Number(name) >= at.length) return false;
        at = at[Number(name)];
      } else if (isJsonObject(at) && Object.hasOwn(at, name)) at = at[name];
      else return false;
    }
    return true;
  }

  /**
   * Sets a field, creating missing objects of its path.
   * @throws ApiError illegal_argument_exception: a part of the path is not an object, or the value contains the object that it would be a field of
   */
  set(path: string, value: unknown): void {
    const { parent, leaf } = this.#parentOf(path);
    if (contains(value, parent)) throw illegalArgumentError('Iterable object is self-referencing itself');
    if (Array.isArray(parent)) parent[indexIn(parent, leaf, path)] = value;
    else setOwn(parent, leaf, value);
  }

  /** Appends to the list at `path`. A single value there becomes a list. */
  append(path: string, value: unknown, allowDuplicates = true): void {
    const values = Array.isArray(value) ? value : [value];
    const old = this.has(path) ? this.get(path) : undefined;
    if (!allowDuplicates && old !== undefined && !Array.isArray(old)) {
      const added = values.filter((item) => !equal(item, old));
      if (added.length > 0) this.set(path, [old, ...added]);
      return;
    }
    const list: unknown[] = old === undefined ? [] : Array.isArray(old) ? [...old] : [old];
    for (const item of values) if (allowDuplicates || !list.some((other) => equal(other, item))) list.push(item);
    this.set(path, list);
  }

  /** @throws ApiError illegal_argument_exception: the field does not exist */
  remove(path: string): void {
    const { root, names } = this.#parse(path);
    const leaf = names[names.length - 1];
    const parent = names.slice(0, -1).reduce((at: unknown, name) => stepInto(at, name, path), root);
    if (Array.isArray(parent)) parent.splice(indexIn(parent, leaf, path), 1);
    else if (isJsonObject(parent)) {
      if (!Object.hasOwn(parent, leaf)) throw notPresent(leaf, path);
      delete parent[leaf];
    } else throw illegalArgumentError(`cannot remove [${leaf}] from ${describe(parent)} as part of path [${path}]`);
  }

  #parse(path: string): { root: MutableJsonObject; names: string[] } {
    if (path === '') throw illegalArgumentError('path cannot be null nor empty');
    let root = this.fields;
    let rest = path;
    if (path.startsWith('_ingest.')) {
      root = this.ingest;
      rest = path.slice(8);
    } else if (path.startsWith('_source.')) rest = path.slice(8);
    const names = rest.split('.');
    // Empty names at the end are ignored, others are members whose name is empty.
    while (names.length > 0 && names[names.length - 1] === '') names.pop();
    if (names.length === 0) throw illegalArgumentError(`path [${path}] is not valid`);
    if (names.length > MAX_PATH_PARTS)
      throw illegalArgumentError(`path [${path.slice(0, 100)}...] has ${names.length} parts, the limit is ${MAX_PATH_PARTS}`);
    return { root, names };
  }

  #parentOf(path: string): { parent: MutableJsonObject | unknown[]; leaf: string } {
    const { root, names } = this.#parse(path);
    let at: MutableJsonObject | unknown[] = root;
    for (const name of names.slice(0, -1)) {
      let next: unknown;
      if (Array.isArray(at)) next = at[indexIn(at, name, path)];
      else if (Object.hasOwn(at, name)) next = at[name];
      else setOwn(at, name, (next = {}));
      if (next === null) throw illegalArgumentError(`cannot set [${names[names.length - 1]}] with null parent as part of path [${path}]`);
      if (typeof next !== 'object' || next instanceof JsonFloat)
        throw illegalArgumentError(
          `cannot set [${names[names.length - 1]}] with parent object of type [${javaType(next)}] as part of path [${path}]`,
        );
      at = next as MutableJsonObject | unknown[];
    }
    return { parent: at, leaf: names[names.length - 1] };
  }
}

export function isMetadata(key: string): boolean {
  return (METADATA as readonly string[]).includes(key);
}

function contains(value: unknown, searched: object): boolean {
  if (value === searched) return true;
  if (typeof value !== 'object' || value === null || value instanceof JsonFloat) return false;
  checkTurn();
  return Object.values(value).some((item) => contains(item, searched));
}

/** @returns what is left after `value`; negative, without looking further, if it is too large */
function spend(value: unknown, left: number): number {
  if (typeof value === 'string') return left - CHARS_PER_VALUE - value.length;
  let rest = left - CHARS_PER_VALUE;
  if (typeof value !== 'object' || value === null || value instanceof JsonFloat) return rest;
  checkTurn();
  for (const key in value) {
    if (rest < 0) return rest;
    rest = spend((value as JsonObject)[key], rest - key.length);
  }
  return rest;
}

export function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isJsonObject(value)) return value;
  const out: MutableJsonObject = {};
  for (const [key, item] of Object.entries(value)) setOwn(out, key, copyOf(item));
  return out;
}

/** The Java class of a value, for error messages. Objects of documents have another class than those of definitions. */
export function javaType(value: unknown): string {
  if (value instanceof JsonFloat) return 'java.lang.Double';
  return isJsonObject(value) ? 'java.util.HashMap' : javaClass(value);
}

function describe(value: unknown): string {
  return value === null || value === undefined ? 'null' : `object of type [${javaType(value)}]`;
}

function notPresent(name: string, path: string) {
  return illegalArgumentError(`field [${name}] not present as part of path [${path}]`);
}

function stepInto(at: unknown, name: string, path: string): unknown {
  if (Array.isArray(at)) return at[indexIn(at, name, path)];
  if (!isJsonObject(at)) throw illegalArgumentError(`cannot resolve [${name}] from ${describe(at)} as part of path [${path}]`);
  if (!Object.hasOwn(at, name)) throw notPresent(name, path);
  return at[name];
}

function indexIn(list: readonly unknown[], name: string, path: string): number {
  if (!/^-?\d+$/.test(name))
    throw illegalArgumentError(`[${name}] is not an integer, cannot be used as an index as part of path [${path}]`);
  const index = Number(name);
  if (index < 0 || index >= list.length)
    throw illegalArgumentError(`[${index}] is out of bounds for array with length [${list.length}] as part of path [${path}]`);
  return index;
}

function equal(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && writeJson(a) === writeJson(b));
}
