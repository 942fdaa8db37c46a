// Lists snapshots of repositories: finished and running ones, filtered, sorted, in pages.
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { matchesPattern } from '../../common/text/wildcard.ts';
import { illegalArgumentError, validationFailedError } from '../../errors/catalog.ts';
import { FEATURES } from '../../metadata/indices/snapshot-content.ts';
import { snapshotMissingError } from '../../snapshots/repository-errors.ts';
import type { SnapshotInfo } from '../../snapshots/snapshot-types.ts';
import type { EngineContext } from '../core/context.ts';
import type { RunningSnapshot } from '../core/snapshot-store.ts';
import { findRepositories } from './repositories.ts';

export interface GetSnapshots {
  readonly repositories: readonly string[];
  /** Names and patterns, `_all`, `_current`, exclusions `-x`. */
  readonly snapshots: readonly string[];
  readonly ignoreUnavailable: boolean;
  readonly verbose: boolean;
  readonly sort: string;
  readonly isDescending: boolean;
  /** -1: all. */
  readonly size: number;
  readonly offset: number;
  readonly after: string | null;
  readonly fromSortValue: string | null;
  /** Patterns of the policies that created the snapshots; `_none` for snapshots created manually. */
  readonly policies: readonly string[];
  readonly withIndices: boolean;
  readonly withRepository: boolean;
  readonly withDetails: boolean;
}

/** A finished or running snapshot. */
export interface FoundSnapshot {
  readonly repository: string;
  readonly info: Omit<SnapshotInfo, 'state'> & { readonly state: SnapshotInfo['state'] | 'IN_PROGRESS' };
}

type SortKey = (found: FoundSnapshot) => string | number;

const SORT_KEYS: Readonly<Record<string, SortKey>> = {
  start_time: ({ info }) => info.startMs,
  duration: ({ info }) => info.endMs - info.startMs,
  name: ({ info }) => info.name,
  repository: ({ repository }) => repository,
  index_count: ({ info }) => info.indices.length,
  shard_count: ({ info }) => info.totalShards,
  failed_shard_count: ({ info }) => info.failures.length,
};

/** `{ snapshots, total, remaining, next? }`. */
export async function getSnapshots(ctx: EngineContext, request: GetSnapshots): Promise<MutableJsonObject> {
  checkRequest(request);
  const key = Object.hasOwn(SORT_KEYS, request.sort) ? SORT_KEYS[request.sort] : null;
  if (key === null) throw illegalArgumentError(`unknown sort key [${request.sort}]`);
  const after = request.after === null ? null : readAfter(request.after, typeof key(NO_SNAPSHOT) === 'number');
  const found = (await findSnapshots(ctx, request)).filter(policyFilter(request.policies)).filter(fromValue(request, key));
  const direction = request.isDescending ? -1 : 1;
  found.sort((a, b) => direction * compare(positionOf(a, key), positionOf(b, key)));
  let start = 0;
  if (after !== null) {
    start = found.findIndex((entry) => direction * compare(positionOf(entry, key), after) > 0);
    if (start < 0) start = found.length;
  }
  start += request.offset;
  const end = request.size < 0 ? found.length : Math.min(found.length, start + request.size);
  const page = found.slice(start, end);
  const remaining = Math.max(0, found.length - end);
  const last = page.at(-1);
  return {
    snapshots: page.map(({ repository, info }) =>
      request.verbose ? showSnapshot(repository, info, request) : showBrief(repository, info, request),
    ),
    ...(remaining > 0 && last ? { next: Buffer.from(positionOf(last, key).join(',')).toString('base64') } : {}),
    total: found.length,
    remaining,
  };
}

function checkRequest(request: GetSnapshots): void {
  const problems: string[] = [];
  if (request.size === 0 || request.size < -1) problems.push('size must be -1 or greater than 0');
  if (request.offset < 0) problems.push('offset must be a non-negative integer');
  if (!request.verbose) {
    if (request.sort !== 'start_time') problems.push("can't use non-default sort with verbose=false");
    if (request.size > 0) problems.push("can't use size limit with verbose=false");
    if (request.offset > 0) problems.push("can't use offset with verbose=false");
    if (request.after !== null) problems.push("can't use after with verbose=false");
    if (request.isDescending) problems.push("can't use non-default sort order with verbose=false");
    if (request.policies.length > 0) problems.push("can't use slm policy filter with verbose=false");
    if (request.fromSortValue !== null) problems.push("can't use from_sort_value with verbose=false");
  } else if (request.after !== null && request.offset > 0) problems.push("can't use after and offset simultaneously");
  else if (request.after !== null && request.fromSortValue !== null) problems.push("can't use after and from_sort_value simultaneously");
  if (problems.length > 0) throw validationFailedError(problems);
}

type Position = readonly [value: string | number, snapshot: string, repository: string];

/** Sort position of a snapshot: the key, then names, so that the order is total. In a page token the repository comes first. */
function positionOf(found: FoundSnapshot, key: SortKey): Position {
  return [key(found), found.repository, found.info.name];
}

function compare(a: Position, b: Position): number {
  for (const i of [0, 2, 1] as const) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

function readAfter(token: string, isNumber: boolean): Position {
  const text = Buffer.from(token, 'base64').toString('utf8');
  const parts = text.split(',');
  const value = isNumber ? Number(parts[0]) : parts[0];
  if (parts.length !== 3 || Number.isNaN(value)) throw illegalArgumentError(`invalid ?after parameter [${token}]`);
  return [value, parts[1], parts[2]];
}

function fromValue({ fromSortValue: text, isDescending }: GetSnapshots, key: SortKey): (found: FoundSnapshot) => boolean {
  if (text === null) return () => true;
  const isNumber = typeof key(NO_SNAPSHOT) === 'number';
  const value = isNumber ? timeOrNumber(text) : text;
  if (typeof value === 'number' && Number.isNaN(value)) throw illegalArgumentError(`failed to parse from_sort_value [${text}]`);
  return (found) => {
    const own = key(found);
    return isDescending ? own <= value : own >= value;
  };
}

function timeOrNumber(text: string): number {
  return /^-?\d+$/.test(text) ? Number(text) : Date.parse(text);
}

function policyFilter(policies: readonly string[]): (found: FoundSnapshot) => boolean {
  if (policies.length === 0) return () => true;
  const included = policies.filter((policy) => !policy.startsWith('-'));
  const excluded = policies.filter((policy) => policy.startsWith('-')).map((policy) => policy.slice(1));
  return ({ info }) => {
    const policy = info.metadata?.policy;
    if (typeof policy !== 'string') return included.includes('_none');
    return (
      (included.length === 0 || included.some((pattern) => matchesPattern(pattern, policy))) &&
      !excluded.some((pattern) => matchesPattern(pattern, policy))
    );
  };
}

/** @throws ApiError repository_missing_exception, snapshot_missing_exception */
export async function findSnapshots(
  ctx: EngineContext,
  request: Pick<GetSnapshots, 'repositories' | 'snapshots' | 'ignoreUnavailable'>,
): Promise<FoundSnapshot[]> {
  const repositories = findRepositories(ctx, request.repositories);
  const { snapshots: running } = await ctx.snapshots.running();
  const found: FoundSnapshot[] = [];
  for (const [repository] of repositories) {
    const own: FoundSnapshot[] = running
      .filter((entry) => entry.repository === repository)
      .map((entry) => ({ repository, info: runningInfo(entry) }));
    const current = new Set(own.map(({ info }) => info.name));
    if (!request.snapshots.every((name) => name === '_current')) {
      for (const info of await ctx.snapshots.list(repository))
        if (!own.some((entry) => entry.info.uuid === info.uuid)) own.push({ repository, info });
    }
    found.push(...chooseSnapshots(repository, own, current, request));
  }
  return found;
}

function chooseSnapshots(
  repository: string,
  all: readonly FoundSnapshot[],
  current: ReadonlySet<string>,
  { snapshots: expression, ignoreUnavailable }: Pick<GetSnapshots, 'snapshots' | 'ignoreUnavailable'>,
): FoundSnapshot[] {
  if (expression.length === 0 || (expression.length === 1 && expression[0] === '_all')) return [...all];
  const names = new Set<string>();
  for (const [at, part] of expression.entries()) {
    const isExclusion = part.startsWith('-') && at > 0;
    const pattern = isExclusion ? part.slice(1) : part;
    const matched =
      pattern === '_current'
        ? all.filter(({ info }) => current.has(info.name) && info.state === 'IN_PROGRESS')
        : all.filter(({ info }) => pattern === '_all' || matchesPattern(pattern, info.name));
    if (matched.length === 0 && !isExclusion && !ignoreUnavailable && !pattern.includes('*') && !pattern.startsWith('_'))
      throw snapshotMissingError(repository, pattern);
    for (const { info } of matched) {
      if (isExclusion) names.delete(info.name);
      else names.add(info.name);
    }
  }
  return all.filter(({ info }) => names.has(info.name));
}

function runningInfo(running: RunningSnapshot): FoundSnapshot['info'] {
  const shards = Object.values(running.indices).flat();
  return {
    name: running.name,
    uuid: running.uuid,
    version: '',
    state: 'IN_PROGRESS',
    startMs: running.startMs,
    endMs: 0,
    indices: Object.entries(running.indices).map(([name, own]) => ({
      name,
      uuid: '',
      shards: own.length,
      bytes: own.reduce((sum, { bytes }) => sum + bytes, 0),
      maxSegments: 0,
    })),
    includeGlobalState: running.includeGlobalState,
    metadata: running.metadata,
    failures: [],
    totalShards: shards.length,
    details: '',
  };
}

const NO_SNAPSHOT: FoundSnapshot = {
  repository: '',
  info: {
    name: '',
    uuid: '',
    version: '',
    state: 'SUCCESS',
    startMs: 0,
    endMs: 0,
    indices: [],
    includeGlobalState: false,
    metadata: null,
    failures: [],
    totalShards: 0,
    details: '',
  },
};

type Shown = Pick<GetSnapshots, 'withIndices' | 'withRepository' | 'withDetails'>;

/** A snapshot in the form of the API. */
export function showSnapshot(repository: string, info: FoundSnapshot['info'], shown: Shown): MutableJsonObject {
  const failed = info.failures.length;
  const isRunning = info.state === 'IN_PROGRESS';
  const endMs = isRunning ? 0 : info.endMs;
  return {
    snapshot: info.name,
    uuid: info.uuid,
    ...(shown.withRepository ? { repository } : {}),
    ...(info.version === '' ? {} : { version_id: versionId(info.version), version: info.version }),
    ...(shown.withIndices ? { indices: info.indices.map(({ name }) => name) } : {}),
    ...(shown.withDetails ? { index_details: indexDetails(info) } : {}),
    data_streams: info.dataStreams ?? [],
    include_global_state: info.includeGlobalState,
    ...(info.metadata === null ? {} : { metadata: info.metadata }),
    state: info.state,
    start_time: new Date(info.startMs).toISOString(),
    start_time_in_millis: info.startMs,
    end_time: new Date(endMs).toISOString(),
    end_time_in_millis: endMs,
    duration_in_millis: isRunning ? 0 : endMs - info.startMs,
    failures: info.failures.map(({ index, indexUuid, shard, reason }) => ({
      index,
      index_uuid: indexUuid,
      shard_id: shard,
      reason,
      status: 'INTERNAL_SERVER_ERROR',
    })),
    shards: { total: isRunning ? 0 : info.totalShards, failed, successful: isRunning ? 0 : info.totalShards - failed },
    feature_states: (info.features ?? []).map((name) => ({ feature_name: name, indices: [FEATURES[name].index] })),
  };
}

function indexDetails(info: FoundSnapshot['info']): MutableJsonObject {
  return Object.fromEntries(
    info.indices.map(({ name, shards, bytes, maxSegments }) => [
      name,
      { shard_count: shards, size_in_bytes: bytes, max_segments_per_shard: maxSegments },
    ]),
  );
}

function showBrief(repository: string, info: FoundSnapshot['info'], shown: Shown): MutableJsonObject {
  return {
    snapshot: info.name,
    uuid: info.uuid,
    ...(shown.withRepository ? { repository } : {}),
    ...(shown.withIndices ? { indices: info.indices.map(({ name }) => name).sort() } : {}),
    data_streams: info.dataStreams ?? [],
    state: info.state,
  };
}

/** `8.15.0` as Elasticsearch numbers its versions. */
function versionId(version: string): number {
  const [major, minor, patch] = version.split('.').map(Number);
  return major * 1_000_000 + minor * 10_000 + patch * 100 + 99;
}
