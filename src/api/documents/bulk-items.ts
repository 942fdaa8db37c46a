// The NDJSON of `_bulk`: chunks -> lines -> items. An item is an operation with the name of its index.
import { parseJsonBytes } from '../../common/json/json-parse.ts';
import { JsonSyntaxError } from '../../common/json/json-syntax-error.ts';
import { tokenOf } from '../../common/json/json-value.ts';
import type { SourceFilter } from '../../common/json/source-filter.ts';
import { illegalArgumentError, jsonError } from '../../errors/catalog.ts';
import { resolveDateMathName } from '../../metadata/date-math-name.ts';
import { readSource } from '../../search/request/request-parts.ts';
import { makeOperation, NO_CONDITIONS, type VersionType, type WriteConditions, type WriteOperation } from '../core/write.ts';
import { conditionProblems, EMPTY_PIPELINE } from './conditions.ts';
import { generateId, validationError } from './document-id.ts';
import { updateBodyOptions } from './update-body.ts';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

const ACTIONS = ['create', 'delete', 'index', 'update'] as const;

export type Action = (typeof ACTIONS)[number];

/** Values of the request for items that do not set their own. */
export interface ItemDefaults {
  readonly index: string | null;
  readonly routing: string | null;
  readonly pipeline: string | null;
  readonly requireAlias: boolean;
  readonly source: SourceFilter | null;
  /** Items may name a type, as in version 7. */
  readonly hasTypes?: boolean;
}

export interface Item {
  readonly action: Action;
  readonly indexName: string;
  readonly requireAlias: boolean;
  readonly operation: WriteOperation;
  readonly filter: SourceFilter | null;
  readonly pipeline: string | null;
}

/** Splits chunks into lines. */
export class LineReader {
  #chunk: Uint8Array = new Uint8Array(0);
  /** Where the next line of the chunk begins. */
  #at = 0;
  /** A line that started in earlier chunks. */
  #rest: Uint8Array[] = [];
  /** Number of lines returned so far. */
  lineNumber = 0;

  /** Text follows the last line break. */
  get hasRest(): boolean {
    return this.#rest.length > 0;
  }

  /** To be called after all lines of the last chunk were taken. */
  push(chunk: Uint8Array): void {
    this.#chunk = chunk;
    this.#at = 0;
  }

  /** At most `most` of the lines that the chunk completes, without line breaks; fewer if there are no more. */
  take(most: number): Uint8Array[] {
    const chunk = this.#chunk;
    const lines: Uint8Array[] = [];
    while (lines.length < most) {
      const end = chunk.indexOf(LINE_FEED, this.#at);
      if (end < 0) {
        // Copied, because the listener reuses the chunk's memory for the next chunk.
        if (this.#at < chunk.length) this.#rest.push(Uint8Array.prototype.slice.call(chunk, this.#at));
        this.#at = chunk.length;
        break;
      }
      let line = chunk.subarray(this.#at, end);
      if (this.#rest.length > 0) {
        line = Buffer.concat([...this.#rest, line]);
        this.#rest = [];
      }
      lines.push(line.length > 0 && line[line.length - 1] === CARRIAGE_RETURN ? line.subarray(0, -1) : line);
      this.#at = end + 1;
    }
    this.lineNumber += lines.length;
    return lines;
  }
}

/** Pairs action lines with source lines. `rest` is an action line whose source has not arrived yet. */
export function parseItems(lines: readonly Uint8Array[], firstLine: number, defaults: ItemDefaults): { items: Item[]; rest: Uint8Array[] } {
  const items: Item[] = [];
  let at = 0;
  while (at < lines.length) {
    if (isBlank(lines[at])) {
      at++;
      continue;
    }
    const { action, meta } = parseAction(lines[at], firstLine + at + 1);
    if (action === 'delete') {
      items.push(makeItem(action, meta, null, defaults, firstLine + at + 1));
      at++;
      continue;
    }
    if (at + 1 >= lines.length) return { items, rest: [new Uint8Array(lines[at])] };
    // Copied, because the line is a view of a chunk and is written later, with its group.
    items.push(makeItem(action, meta, new Uint8Array(lines[at + 1]), defaults, firstLine + at + 1));
    at += 2;
  }
  return { items, rest: [] };
}

function isBlank(line: Uint8Array): boolean {
  let at = 0;
  while (at < line.length && (line[at] === 32 || line[at] === 9)) at++;
  return at === line.length;
}

function parseAction(line: Uint8Array, number: number): { action: Action; meta: Record<string, unknown> } {
  const malformed = (text: string) => illegalArgumentError(`Malformed action/metadata line [${number}], ${text}`);
  let json: unknown;
  try {
    json = parseJsonBytes(line);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw jsonError(error);
    throw error;
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw malformed(`expected START_OBJECT but found [${tokenOf(json)}]`);
  }
  const keys = Object.keys(json);
  if (keys.length === 0) throw malformed('expected FIELD_NAME but found [END_OBJECT]');
  const action = keys[0] as Action;
  const meta = (json as Record<string, unknown>)[action];
  if (!ACTIONS.includes(action)) throw malformed(`expected one of [create, delete, index, update] but found [${action}]`);
  if (keys.length > 1) throw malformed('expected END_OBJECT but found [FIELD_NAME]');
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta)) {
    throw malformed(`expected START_OBJECT or END_OBJECT but found [${tokenOf(meta)}]`);
  }
  return { action, meta: meta as Record<string, unknown> };
}

/** What an action line states about its item. */
interface ItemMeta {
  indexName: string | null;
  id: string | null;
  routing: string | null;
  requireAlias: boolean;
  pipeline: string | null;
  filter: SourceFilter | null;
  conditions: { -readonly [Key in keyof WriteConditions]: WriteConditions[Key] };
  retryOnConflict: number;
  opType: string | null;
  dynamicTemplates: Record<string, string> | null;
}

const orNull = (value: unknown): string | null => (value === null ? null : String(value));

/** Sets the members of an item by the keys of its action line. */
const META_READERS: Readonly<Record<string, (item: ItemMeta, value: unknown, key: string) => void>> = {
  _index: (item, value) => {
    item.indexName = String(value);
  },
  _id: (item, value) => {
    item.id = orNull(value);
  },
  routing: (item, value) => {
    item.routing = orNull(value);
  },
  op_type: (item, value) => {
    item.opType = String(value);
  },
  version: (item, value, key) => {
    item.conditions.version = readInteger(key, value);
  },
  version_type: (item, value) => {
    item.conditions.versionType = readVersionType(String(value));
  },
  if_seq_no: (item, value, key) => {
    item.conditions.ifSeqNo = readInteger(key, value);
  },
  if_primary_term: (item, value, key) => {
    item.conditions.ifPrimaryTerm = readInteger(key, value);
  },
  retry_on_conflict: (item, value, key) => {
    item.retryOnConflict = readInteger(key, value);
  },
  pipeline: (item, value) => {
    item.pipeline = orNull(value);
  },
  require_alias: (item, value) => {
    item.requireAlias = value === true || value === 'true';
  },
  dynamic_templates: (item, value) => {
    item.dynamicTemplates = readTemplates(value);
  },
  list_executed_pipelines: () => undefined,
  _source: (item, value) => {
    item.filter = readSource(value);
  },
};
const OBJECT_KEYS = new Set(['_source', 'dynamic_templates']);

/** @throws ApiError illegal_argument_exception: an unknown key or an invalid value */
function readMeta(meta: Record<string, unknown>, defaults: ItemDefaults, line: number): ItemMeta {
  const { index: indexName, routing, requireAlias, pipeline, source: filter } = defaults;
  const item: ItemMeta = {
    indexName,
    id: null,
    routing,
    requireAlias,
    pipeline,
    filter,
    conditions: { ...NO_CONDITIONS },
    retryOnConflict: 0,
    opType: null,
    dynamicTemplates: null,
  };
  for (const key in meta) {
    const value = meta[key];
    if (typeof value === 'object' && value !== null && !OBJECT_KEYS.has(key)) {
      throw illegalArgumentError(
        `Malformed action/metadata line [${line}], expected a simple value for field [${key}] but found [${tokenOf(value)}]`,
      );
    }
    if (key === '_type' && defaults.hasTypes) continue;
    if (!Object.hasOwn(META_READERS, key))
      throw illegalArgumentError(`Action/metadata line [${line}] contains an unknown parameter [${key}]`);
    META_READERS[key](item, value, key);
  }
  return item;
}

/** @throws ApiError action_request_validation_exception: index or id is missing, or the conditions are invalid */
function makeItem(action: Action, meta: Record<string, unknown>, source: Uint8Array | null, defaults: ItemDefaults, line: number): Item {
  const item = readMeta(meta, defaults, line);
  if (action === 'update') {
    const own = updateBodyOptions(source);
    item.filter = own.source ?? item.filter;
    Object.assign(item.conditions, own.conditions);
  }
  const { indexName, id, routing, requireAlias, pipeline, filter, conditions, retryOnConflict, dynamicTemplates } = item;
  const kind = action === 'index' && item.opType === 'create' ? 'create' : action;
  const problem = validationError([
    indexName === null ? 'index is missing' : null,
    id === null && (action === 'update' || action === 'delete') ? 'id is missing' : null,
    ...conditionProblems(kind, id, conditions, retryOnConflict),
    pipeline === '' && (action === 'index' || action === 'create') ? EMPTY_PIPELINE : null,
  ]);
  if (problem) throw problem;
  return {
    action: kind,
    // Not null: that is one of the problems above.
    indexName: resolveDateMathName(indexName ?? '', Date.now()),
    requireAlias,
    pipeline,
    operation: {
      ...makeOperation(kind, id ?? generateId(), routing, conditions),
      autoId: id === null,
      source,
      retryOnConflict,
      wantSource: action === 'update' && filter !== null && filter.enabled,
      ...(dynamicTemplates === null ? {} : { dynamicTemplates }),
    },
    filter,
  };
}

/** `{ field: template }`. */
function readTemplates(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw illegalArgumentError(`[dynamic_templates] must be an object of template names by field, found [${tokenOf(value)}]`);
  return Object.fromEntries(Object.entries(value).map(([field, template]) => [field, String(template)]));
}

function readInteger(name: string, value: unknown): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw illegalArgumentError(`Failed to parse parameter [${name}] with value [${value}]`);
  return number;
}

function readVersionType(name: string): VersionType {
  if (name === 'internal' || name === 'external' || name === 'external_gte') return name;
  throw illegalArgumentError(`No version type match [${name}]`);
}
