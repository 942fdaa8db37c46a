// Runs the tasks of a track against one service, with the same client for every service: latencies seen by users, throughput, errors.
// With a target throughput a request's latency is measured from the moment it was due, so that it includes the delay of a service that falls behind.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { ServiceClient } from '../../src/cli/service-client.ts';
import type { Operation, Task, Track } from './track.ts';

export interface TaskResult {
  readonly name: string;
  /** Documents per second of bulk tasks, operations per second of others. */
  readonly throughput: number;
  readonly unit: 'docs/s' | 'ops/s';
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly operations: number;
  readonly errors: number;
  /** Null without errors. */
  readonly firstError: string | null;
}

/** One request. @returns number of documents or operations */
type Request = () => Promise<number>;

const DEFAULT_BULK_SIZE = 1000;

export async function runTrack(track: Track, client: ServiceClient, log: (text: string) => void = () => {}): Promise<TaskResult[]> {
  const results: TaskResult[] = [];
  for (const task of track.tasks) {
    log(task.operation.name);
    results.push(task.operation.type === 'bulk' ? await runBulk(task, track, client) : await runTask(task, track, client));
  }
  return results;
}

async function runTask(task: Task, track: Track, client: ServiceClient): Promise<TaskResult> {
  const request = requestOf(task.operation, track, client);
  let warmUps = task.warmupIterations;
  await inParallel(task.clients, async () => {
    while (warmUps-- > 0) await request().catch(() => 0);
  });
  let next = 0;
  const started = performance.now();
  const due = (i: number): number => (task.targetThroughput === null ? performance.now() : started + (i / task.targetThroughput) * 1000);
  return measure(task, 'ops/s', started, async (record) => {
    while (next < task.iterations) {
      const dueMs = due(next++);
      const wait = dueMs - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      await record(request, dueMs);
    }
  });
}

/** Sends all corpora once: clients take turns in reading the next bulk. */
async function runBulk(task: Task, track: Track, client: ServiceClient): Promise<TaskResult> {
  const { 'bulk-size': size = DEFAULT_BULK_SIZE, pipeline } = task.operation.params;
  const bulks = bulksOf(track, Number(size));
  const query = pipeline === undefined ? '' : `?pipeline=${encodeURIComponent(String(pipeline))}`;
  return measure(task, 'docs/s', performance.now(), async (record) => {
    for (let bulk = await bulks.next(); !bulk.done; bulk = await bulks.next()) {
      const { index, lines } = bulk.value;
      const send = async (): Promise<number> => {
        const body = lines.map((line) => `{"index":{}}\n${line}\n`).join('');
        const { status, text } = await client.send('POST', `/${encodeURIComponent(index)}/_bulk${query}`, body, 'application/x-ndjson');
        if (status >= 300 || (JSON.parse(text) as { errors: boolean }).errors) throw new Error(`bulk: ${status} ${text.slice(0, 300)}`);
        return lines.length;
      };
      await record(send, performance.now());
    }
  });
}

async function* bulksOf(track: Track, size: number): AsyncGenerator<{ index: string; lines: string[] }> {
  for (const { file, count, index } of track.documents) {
    let lines: string[] = [];
    let read = 0;
    for await (const line of createInterface({ input: createReadStream(file) })) {
      if (line === '' || read === count) continue;
      read++;
      lines.push(line);
      if (lines.length < size) continue;
      yield { index, lines };
      lines = [];
    }
    if (lines.length > 0) yield { index, lines };
    if (read !== count) throw new Error(`[${file}] has ${read} documents, the track says ${count}`);
  }
}

type Recorder = (request: Request, dueMs: number) => Promise<void>;

async function measure(
  task: Task,
  unit: TaskResult['unit'],
  started: number,
  loop: (record: Recorder) => Promise<void>,
): Promise<TaskResult> {
  const latencies: number[] = [];
  let done = 0;
  let errors = 0;
  let firstError: string | null = null;
  const record: Recorder = async (request, dueMs) => {
    try {
      done += await request();
      latencies.push(performance.now() - dueMs);
    } catch (error) {
      errors++;
      firstError ??= error instanceof Error ? error.message : String(error);
    }
  };
  await inParallel(task.clients, () => loop(record));
  const seconds = (performance.now() - started) / 1000;
  latencies.sort((a, b) => a - b);
  return {
    name: task.operation.name,
    throughput: done / seconds,
    unit,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    operations: latencies.length,
    errors,
    firstError,
  };
}

async function inParallel(clients: number, loop: () => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: clients }, loop));
}

/** The nearest rank; NaN without values. @param sorted  ascending */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted.length === 0 ? Number.NaN : sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}

function requestOf({ type, params }: Operation, track: Track, client: ServiceClient): Request {
  const index = encodeURIComponent(String(params['index'] ?? '_all')).replaceAll('%2C', ',');
  const call = async (method: string, path: string, body?: unknown): Promise<number> => {
    await client.call(method, path, body);
    return 1;
  };
  switch (type) {
    case 'search': {
      const cached: Record<string, string> = params['cache'] === undefined ? {} : { request_cache: String(params['cache']) };
      const query = new URLSearchParams({ ...cached, ...(params['request-params'] as Record<string, string> | undefined) }).toString();
      return () => call('POST', `/${index}/_search${query === '' ? '' : `?${query}`}`, params['body']);
    }
    case 'refresh':
      return () => call('POST', `/${index}/_refresh`);
    case 'force-merge':
      return () =>
        call(
          'POST',
          `/${index}/_forcemerge${params['max-num-segments'] === undefined ? '' : `?max_num_segments=${String(params['max-num-segments'])}`}`,
        );
    case 'index-stats':
      return () => call('GET', `/${index}/_stats`);
    case 'cluster-health': {
      const query = new URLSearchParams(params['request-params'] as Record<string, string> | undefined).toString();
      return () => call('GET', `/_cluster/health${query === '' ? '' : `?${query}`}`);
    }
    case 'create-index':
      return async () => {
        for (const { name, body } of track.indices)
          await call('PUT', `/${encodeURIComponent(name)}`, withSettings(body, params['settings']));
        return 1;
      };
    case 'delete-index':
      return async () => {
        for (const { name } of track.indices) await call('DELETE', `/${encodeURIComponent(name)}?ignore_unavailable=true`);
        return 1;
      };
    case 'bulk':
      throw new Error('bulk tasks have a loop of their own');
  }
}

function withSettings(body: Record<string, unknown> | null, settings: unknown): Record<string, unknown> {
  if (settings === undefined) return body ?? {};
  return { ...body, settings: { ...(body?.['settings'] as object | undefined), ...(settings as object) } };
}
