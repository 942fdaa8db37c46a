// `gannet snapshot` and `gannet restore`: take and restore snapshots of a service's indices, for cron and for moving to another machine.
// With --path.data they work on the data of a stopped service (stopped-directory.ts).

import type { JsonObject } from '../../common/json/json-value.ts';
import { formatByteSize } from '../../common/text/byte-size.ts';
import { type Arguments, checkFlags, flagNumber, flagValue, parseArguments, UsageError } from '../arguments.ts';
import { Progress } from '../progress.ts';
import { type ServiceClient, withClient } from '../service-client.ts';
import type { Restored, StoppedDirectory } from '../stopped-directory.ts';

const POLL_MS = 300;
const COMMON_FLAGS = ['repository', 'location', 'indices', 'url', 'user'];
/** Flags for the data directory of a stopped service. */
const DIRECTORY_FLAGS = ['path.data', 'path.repo', 'path.config', 'config'];
/** Marks, in their metadata, the snapshots that `--keep` may delete. */
const MADE_BY = 'gannet snapshot';

interface Snapshot {
  readonly snapshot: string;
  readonly state: string;
  readonly indices: readonly string[];
  readonly metadata?: { readonly made_by?: unknown };
  readonly shards: { readonly total: number; readonly failed: number };
  readonly failures: ReadonlyArray<{ readonly index: string; readonly shard_id: number; readonly reason: string }>;
}

interface Rename {
  readonly pattern: string;
  readonly replacement: string;
}

interface SizeStats {
  readonly incremental: { readonly size_in_bytes: number };
  readonly processed?: { readonly size_in_bytes: number };
  readonly total: { readonly size_in_bytes: number };
}

/** @returns exit code: 0 if the snapshot is complete */
export async function snapshotCommand(argv: string[]): Promise<number> {
  const args = parseArguments(argv);
  checkFlags(args, [...COMMON_FLAGS, ...DIRECTORY_FLAGS, 'keep'], ['partial']);
  const [given, ...others] = args.positionals;
  if (others.length > 0) throw new UsageError('snapshot takes one name');
  const keep = flagNumber(args, 'keep', 0, 0, 10_000);
  if (isStopped(args)) return snapshotStopped(args, given ?? newName(), keep);
  return withService(args, async (service, repository) => {
    const name = given ?? newName();
    const path = `/_snapshot/${encodeURIComponent(repository)}/${encodeURIComponent(name)}`;
    await service.call('PUT', path, createBody(args));
    const progress = new Progress(name, 'bytes');
    const stats = await service.poll(path, (done, total) => progress.update(total === 0 ? 0 : done / total, done));
    progress.finish(stats.incremental.size_in_bytes);
    const { snapshots } = await service.call<{ snapshots: Snapshot[] }>('GET', path);
    const [snapshot] = snapshots;
    printSnapshot(snapshot, stats.total.size_in_bytes, stats.incremental.size_in_bytes);
    if (snapshot.state !== 'SUCCESS') return 1;
    if (keep > 0) await deleteOld(service, repository, keep);
    return 0;
  });
}

/** @returns exit code: 0 if all shards are restored */
export async function restoreCommand(argv: string[]): Promise<number> {
  const args = parseArguments(argv);
  checkFlags(args, [...COMMON_FLAGS, ...DIRECTORY_FLAGS, 'rename'], ['close', 'global-state']);
  const [given, ...others] = args.positionals;
  if (others.length > 0) throw new UsageError('restore takes one name');
  const rename = readRename(flagValue(args, 'rename'));
  if (isStopped(args)) return restoreStopped(args, given ?? null, rename);
  return withService(args, async (service, repository) => {
    const base = `/_snapshot/${encodeURIComponent(repository)}`;
    const snapshot = await chooseSnapshot(service, base, given ?? null);
    const indices = flagValue(args, 'indices');
    if (args.flags.close !== undefined) await closeExisting(service, rename === null ? (indices?.split(',') ?? snapshot.indices) : []);
    const progress = new Progress(snapshot.snapshot, 'bytes');
    const ending = service.call<{ snapshot: Restored }>(
      'POST',
      `${base}/${encodeURIComponent(snapshot.snapshot)}/_restore?wait_for_completion=true`,
      restoreBody(args, rename),
    );
    const bytes = await service.pollRecovery(ending, (done, total) => progress.update(total === 0 ? 0 : done / total, done));
    const { snapshot: outcome } = await ending;
    progress.finish(bytes);
    return printRestored(snapshot.snapshot, outcome);
  });
}

// ------------------------------------------------------------------------------------------------- of a stopped service

/** Loaded lazily: no other part of this command needs the engine. */
const loadStopped = () => import('../stopped-directory.ts');

function isStopped(args: Arguments): boolean {
  if (flagValue(args, 'path.data') === null) return false;
  for (const flag of ['url', 'user'])
    if (args.flags[flag] !== undefined) throw new UsageError(`--path.data and --${flag} exclude each other`);
  return true;
}

async function snapshotStopped(args: Arguments, name: string, keep: number): Promise<number> {
  return inDirectory(args, async (directory) => {
    const { info, totalBytes, newBytes } = await directory.create(name, createBody(args));
    const failures = info.failures.map(({ index, shard, reason }) => ({ index, shard_id: shard, reason }));
    printSnapshot({ ...info, snapshot: info.name, failures }, totalBytes, newBytes);
    if (info.state !== 'SUCCESS') return 1;
    if (keep === 0) return 0;
    const own = (await directory.list()).filter(({ metadata }) => metadata?.made_by === MADE_BY).map((made) => made.name);
    const old = own.slice(0, Math.max(0, own.length - keep));
    if (old.length > 0) await directory.delete(old);
    if (old.length > 0) print(`deleted ${old.join(', ')}`);
    return 0;
  });
}

async function restoreStopped(args: Arguments, name: string | null, rename: Rename | null): Promise<number> {
  return inDirectory(args, async (directory) => {
    const all = await directory.list();
    const found = name === null ? all.filter(({ state }) => state === 'SUCCESS').at(-1) : all.find((info) => info.name === name);
    if (found === undefined) throw new Error(name === null ? 'the repository has no complete snapshot' : `[${name}] is missing`);
    const indices = flagValue(args, 'indices')?.split(',') ?? found.indices.map((index) => index.name);
    if (args.flags.close !== undefined && rename === null) await directory.close(indices);
    return printRestored(found.name, await directory.restore(found.name, restoreBody(args, rename)));
  });
}

async function inDirectory(args: Arguments, action: (directory: StoppedDirectory) => Promise<number>): Promise<number> {
  const { withDirectory } = await loadStopped();
  try {
    return await withDirectory(args, flagValue(args, 'repository') ?? 'backup', action);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { causedBy, message } = error as Error & { readonly causedBy?: Error | null };
    process.stderr.write(`gannet: ${message}${causedBy ? `: ${causedBy.message}` : ''}\n`);
    return 1;
  }
}

// -------------------------------------------------------------------------------------------------- bodies and messages

function newName(): string {
  return `snapshot-${new Date().toISOString().slice(0, 19).replaceAll(/[:T]/g, '-')}`;
}

function createBody(args: Arguments): JsonObject {
  const indices = flagValue(args, 'indices');
  return { ...(indices === null ? {} : { indices }), partial: args.flags.partial !== undefined, metadata: { made_by: MADE_BY } };
}

function restoreBody(args: Arguments, rename: Rename | null): JsonObject {
  const indices = flagValue(args, 'indices');
  return {
    ...(indices === null ? {} : { indices }),
    ...(rename === null ? {} : { rename_pattern: rename.pattern, rename_replacement: rename.replacement }),
    include_global_state: args.flags['global-state'] !== undefined,
  };
}

type Printed = Pick<Snapshot, 'snapshot' | 'state' | 'failures'> & { readonly indices: readonly unknown[] };

function printSnapshot({ snapshot, state, indices, failures }: Printed, totalBytes: number, newBytes: number): void {
  print(`${snapshot}: ${state}, ${indices.length} indices, ${formatByteSize(totalBytes)}, ${formatByteSize(newBytes)} new`);
  for (const { index, shard_id, reason } of failures) print(`  [${index}][${shard_id}] ${reason}`);
}

/** @returns the exit code */
function printRestored(snapshot: string, { indices, shards }: Restored): number {
  print(`${snapshot}: ${indices.length} indices, ${shards.total} shards, ${shards.failed} failed`);
  return shards.failed > 0 ? 1 : 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** `PATTERN=REPLACEMENT`. @throws UsageError */
function readRename(text: string | null): Rename | null {
  if (text === null) return null;
  const equals = text.indexOf('=');
  if (equals < 1 || equals === text.length - 1) throw new UsageError('--rename must be PATTERN=REPLACEMENT, such as "(.+)=restored-$1"');
  return { pattern: text.slice(0, equals), replacement: text.slice(equals + 1) };
}

function withService(args: Arguments, action: (service: Service, repository: string) => Promise<number>): Promise<number> {
  return withClient(args, async (client) => {
    const repository = flagValue(args, 'repository') ?? 'backup';
    const service = new Service(client);
    const location = flagValue(args, 'location');
    if (location !== null) await service.register(repository, location);
    return action(service, repository);
  });
}

/** The named snapshot, or the last complete one. */
async function chooseSnapshot(service: Service, base: string, name: string | null): Promise<Snapshot> {
  const { snapshots } = await service.call<{ snapshots: Snapshot[] }>('GET', `${base}/${encodeURIComponent(name ?? '_all')}`);
  const found = snapshots.filter(({ state }) => name !== null || state === 'SUCCESS').at(-1);
  if (found === undefined) throw new Error('the repository has no complete snapshot');
  return found;
}

async function closeExisting(service: Service, indices: readonly string[]): Promise<void> {
  if (indices.length > 0) await service.call('POST', `/${indices.map(encodeURIComponent).join(',')}/_close?ignore_unavailable=true`);
}

async function deleteOld(service: Service, repository: string, keep: number): Promise<void> {
  const base = `/_snapshot/${encodeURIComponent(repository)}`;
  const { snapshots } = await service.call<{ snapshots: Snapshot[] }>('GET', `${base}/_all`);
  const own = snapshots.filter(({ state, metadata }) => state !== 'IN_PROGRESS' && metadata?.made_by === MADE_BY);
  const old = own.slice(0, Math.max(0, own.length - keep)).map(({ snapshot }) => snapshot);
  if (old.length === 0) return;
  await service.call('DELETE', `${base}/${old.map(encodeURIComponent).join(',')}`);
  print(`deleted ${old.join(', ')}`);
}

class Service {
  readonly #client: ServiceClient;

  constructor(client: ServiceClient) {
    this.#client = client;
  }

  /** @throws Error with the reason of an error response */
  async call<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const { status, text } = await this.#client.send(method, path, body === undefined ? undefined : JSON.stringify(body));
    if (status >= 300) throw new Error(`${method} ${path}: ${reasonOf(text) ?? `status ${status}`}`);
    return JSON.parse(text) as T;
  }

  /** Registers a folder as a repository, unless it is one already. */
  async register(repository: string, location: string): Promise<void> {
    const path = `/_snapshot/${encodeURIComponent(repository)}`;
    const { status } = await this.#client.send('GET', path);
    if (status === 404) await this.call('PUT', path, { type: 'fs', settings: { location } });
  }

  /** Waits for a running snapshot. */
  async poll(path: string, onProgress: (doneBytes: number, totalBytes: number) => void): Promise<SizeStats> {
    for (;;) {
      const { snapshots } = await this.call<{ snapshots: Array<{ state: string; stats: SizeStats }> }>('GET', `${path}/_status`);
      const [{ state, stats }] = snapshots;
      if (state !== 'STARTED' && state !== 'ABORTED') return stats;
      onProgress(stats.processed?.size_in_bytes ?? 0, stats.incremental.size_in_bytes);
      await pause();
    }
  }

  /** Reports the progress of restores until `ending` settles. @returns the number of bytes last reported as restored */
  async pollRecovery(ending: Promise<unknown>, onProgress: (doneBytes: number, totalBytes: number) => void): Promise<number> {
    let isDone = false;
    const end = (): void => {
      isDone = true;
    };
    ending.then(end, end);
    let bytes = 0;
    while (!isDone) {
      await Promise.race([pause(), ending]);
      if (isDone) break;
      const body = await this.call<Record<string, { shards: Array<{ index: { size: Record<string, number> } }> }>>(
        'GET',
        '/_recovery?active_only=true',
      );
      const sizes = Object.values(body).flatMap(({ shards }) => shards.map(({ index }) => index.size));
      const done = sizes.reduce((sum, size) => sum + size.recovered_in_bytes, 0);
      bytes = Math.max(bytes, done);
      onProgress(
        done,
        sizes.reduce((sum, size) => sum + size.total_in_bytes, 0),
      );
    }
    return bytes;
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

function reasonOf(text: string): string | null {
  try {
    const { error } = JSON.parse(text) as { error?: { reason?: unknown; caused_by?: { reason?: unknown } } };
    const cause = error?.caused_by?.reason;
    return typeof error?.reason === 'string' ? `${error.reason}${typeof cause === 'string' ? `: ${cause}` : ''}` : null;
  } catch {
    return null;
  }
}
