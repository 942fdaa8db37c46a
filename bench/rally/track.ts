// Tracks in Rally's form: indices, corpora, operations and challenges with a schedule. Unsupported features are refused by name, so that no
// figure represents less work than the track describes. Jinja templates, which tracks may contain, are not expanded.
// Source: Rally's track reference, https://esrally.readthedocs.io/en/stable/adding_tracks.html and track.html
import { readFileSync } from 'node:fs';
import path from 'node:path';

export interface TrackIndex {
  readonly name: string;
  /** Settings and mappings. */
  readonly body: Record<string, unknown> | null;
}

export interface TrackDocuments {
  /** NDJSON. */
  readonly file: string;
  readonly count: number;
  readonly index: string;
}

export type OperationType =
  | 'bulk'
  | 'search'
  | 'refresh'
  | 'force-merge'
  | 'create-index'
  | 'delete-index'
  | 'cluster-health'
  | 'index-stats';

export interface Operation {
  readonly name: string;
  readonly type: OperationType;
  /** Other keys of the operation: `body`, `index`, `bulk-size`, `max-num-segments`... */
  readonly params: Readonly<Record<string, unknown>>;
}

export interface Task {
  readonly operation: Operation;
  readonly warmupIterations: number;
  readonly iterations: number;
  readonly clients: number;
  /** Operations per second of all clients together; null for as many as possible. */
  readonly targetThroughput: number | null;
}

export interface Track {
  readonly indices: readonly TrackIndex[];
  readonly documents: readonly TrackDocuments[];
  readonly tasks: readonly Task[];
}

type Json = Record<string, unknown>;

const TYPES: readonly OperationType[] = [
  'bulk',
  'search',
  'refresh',
  'force-merge',
  'create-index',
  'delete-index',
  'cluster-health',
  'index-stats',
];
const TRACK_KEYS = ['version', 'description', 'indices', 'corpora', 'operations', 'challenges', 'challenge', 'schedule', '#'];
const TASK_KEYS = ['name', 'operation', 'warmup-iterations', 'iterations', 'clients', 'target-throughput', 'tags', '#'];
const OPERATION_KEYS: Readonly<Record<OperationType, readonly string[]>> = {
  bulk: ['bulk-size', 'pipeline'],
  search: ['index', 'body', 'cache', 'request-params'],
  refresh: ['index'],
  'force-merge': ['index', 'max-num-segments'],
  'create-index': ['settings'],
  'delete-index': [],
  'cluster-health': ['request-params', 'index'],
  'index-stats': ['index'],
};

/**
 * @param file       track.json; corpora and bodies of indices are relative to its folder, or to `dataFolder`
 * @param challenge  null for the default one, or the only one
 * @throws Error naming what is missing, wrong or not carried out
 */
export function readTrack(file: string, challenge: string | null, dataFolder: string | null = null): Track {
  const folder = path.dirname(file);
  const text = readFileSync(file, 'utf8');
  if (/\{[{%]/.test(text)) throw new Error(`[${file}] is a Jinja template: expand it first`);
  const track = JSON.parse(text) as Json;
  checkKeys(track, TRACK_KEYS, 'track');
  const operations = new Map(
    listOf(track['operations'])
      .map((one) => readOperation(one))
      .map((one) => [one.name, one]),
  );
  return {
    indices: listOf(track['indices']).map((index): TrackIndex => {
      checkKeys(index, ['name', 'body', '#'], 'index');
      const body =
        index['body'] === undefined ? null : (JSON.parse(readFileSync(path.join(folder, String(index['body'])), 'utf8')) as Json);
      return { name: String(index['name']), body };
    }),
    documents: listOf(track['corpora']).flatMap((corpus) => {
      checkKeys(corpus, ['name', 'documents', 'target-index', '#'], 'corpus');
      return listOf(corpus['documents']).map((documents): TrackDocuments => {
        checkKeys(documents, ['source-file', 'document-count', 'uncompressed-bytes', 'target-index', '#'], 'documents');
        const index = documents['target-index'] ?? corpus['target-index'] ?? listOf(track['indices'])[0]?.['name'];
        if (index === undefined) throw new Error(`documents [${String(documents['source-file'])}] have no [target-index]`);
        return {
          file: path.resolve(dataFolder ?? folder, String(documents['source-file'])),
          count: Number(documents['document-count']),
          index: String(index),
        };
      });
    }),
    tasks: scheduleOf(track, challenge).map((task) => readTask(task, operations)),
  };
}

function scheduleOf(track: Json, name: string | null): Json[] {
  if (track['schedule'] !== undefined) return listOf(track['schedule']);
  const challenges = track['challenge'] === undefined ? listOf(track['challenges']) : [track['challenge'] as Json];
  const found =
    name === null
      ? (challenges.find((one) => one['default'] === true) ?? (challenges.length === 1 ? challenges[0] : null))
      : challenges.find((one) => one['name'] === name);
  if (!found)
    throw new Error(`no challenge [${name ?? 'default'}]; there are [${challenges.map((one) => String(one['name'])).join(', ')}]`);
  checkKeys(found, ['name', 'description', 'default', 'schedule', '#'], 'challenge');
  return listOf(found['schedule']);
}

function readTask(task: Json, operations: ReadonlyMap<string, Operation>): Task {
  if (task['parallel'] !== undefined) throw new Error('[parallel] is not carried out');
  checkKeys(task, TASK_KEYS, 'task');
  const given = task['operation'];
  const operation =
    typeof given === 'string'
      ? (operations.get(given) ?? readOperation({ name: given, 'operation-type': given }))
      : readOperation(given as Json);
  const target = task['target-throughput'];
  return {
    operation: { ...operation, name: String(task['name'] ?? operation.name) },
    warmupIterations: wholeNumber(task, 'warmup-iterations', 0, 0),
    iterations: wholeNumber(task, 'iterations', 1, 1),
    clients: wholeNumber(task, 'clients', 1, 1),
    targetThroughput: target === undefined || target === null ? null : Number(target),
  };
}

function readOperation(value: Json): Operation {
  const { name, 'operation-type': type, '#': _comment, ...params } = value;
  if (!TYPES.includes(type as OperationType)) throw new Error(`operation [${String(name)}]: type [${String(type)}] is not carried out`);
  checkKeys(params, OPERATION_KEYS[type as OperationType], `operation [${String(name)}]`);
  return { name: String(name ?? type), type: type as OperationType, params };
}

function wholeNumber(object: Json, key: string, fallback: number, least: number): number {
  const value = object[key] ?? fallback;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least)
    throw new Error(`[${key}] must be a whole number from ${least}, got [${String(value)}]`);
  return value;
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? (value as Json[]) : [];
}

function checkKeys(object: Json, known: readonly string[], what: string): void {
  for (const key of Object.keys(object)) if (!known.includes(key)) throw new Error(`${what}: [${key}] is not carried out`);
}
