// Main's side of the lanes: their threads, their requests as tasks, and the contexts that they borrow.
import type { ContextKind } from '../../api/core/search-context.ts';
import type { TaskStart } from '../../api/core/task-store.ts';
import type { LaneAnswer, LaneRequest } from '../../rest/core/lane.ts';
import { ownerOf } from '../../security/identity.ts';
import { LaneHost, type LaneHostParts } from '../lanes/lane-host.ts';
import { LanePool, type LaneStats } from '../lanes/lane-pool.ts';
import type { MemoryBreaker } from '../memory/memory-breaker.ts';
import { Transferred } from '../messages/channel.ts';
import type { ContextRequest } from '../messages/context-messages.ts';
import type { FromReader, LogNotice, ToReader } from '../messages/messages.ts';
import type { SearchContexts } from './search-contexts.ts';
import type { Tasks } from './tasks.ts';

export interface MainLanesParts extends Omit<LaneHostParts, 'onAnswer' | 'onEnd' | 'heapBytes'> {
  readonly contexts: SearchContexts;
  readonly tasks: Tasks;
  readonly breaker: MemoryBreaker;
  log(level: LogNotice['level'], message: string): void;
}

/** Scratch region of a lane in each arena, which limits the kernels' memory of a request. */
const MAX_SCRATCH_BYTES = 512 << 20;
const MIN_SCRATCH_BYTES = 64 << 20;
/** Characters of a body in the description of its task. */
const MAX_SOURCE_CHARS = 1000;

export class MainLanes {
  readonly #host: LaneHost;
  readonly #pool: LanePool;
  readonly #contexts: SearchContexts;
  readonly #parts: MainLanesParts;
  /** Contexts that lanes have borrowed, by reader. */
  readonly #loans = new Map<number, Set<number>>();
  /** Contexts that the request in a lane has opened, by reader: their keys are unknown until it is answered. */
  readonly #opened = new Map<number, { kind: ContextKind; key: string }[]>();
  /** i32[1], not 0 while no lane is free. */
  readonly load = new SharedArrayBuffer(4);
  /** Sent to each new lane. */
  #start: ToReader | null = null;

  constructor(parts: MainLanesParts, lanes: number) {
    const { settings } = parts.options;
    const heapBytes = settings['thread_pool.heavy.heap'];
    const maxRunMs = settings['thread_pool.heavy.max_run_time'];
    this.#parts = parts;
    this.#contexts = parts.contexts;
    this.#host = new LaneHost(
      {
        ...parts,
        heapBytes,
        current: () => [...parts.current(), ...(this.#start ? [this.#start] : [])],
        onMessage: (reader, message) => this.#onMessage(reader, message),
        onAnswer: (reader) => this.#opened.delete(reader),
        onEnd: (reader) => {
          this.#endContexts(reader);
          this.#pool.endHelp(reader);
        },
      },
      lanes,
      // Used pages of a scratch region are not returned to the system, so regions are small if memory is scarce.
      Math.max(MIN_SCRATCH_BYTES, Math.min(MAX_SCRATCH_BYTES, Math.floor(settings['memory.limit'] / 16))),
    );
    const { breaker } = parts;
    const limit = settings['memory.limit'];
    this.#pool = new LanePool({
      onMemoryTrip: () => breaker.countRequest(),
      overMemory: ({ method, path }) => (breaker.usedBytes > limit ? breaker.parentError(0, `${method} ${path}`) : null),
      start: (slot, events) => this.#host.start(slot, events),
      list: (request, onCancel) => (isPartOfTask(request) ? () => undefined : parts.tasks.list(taskOf(request), onCancel)),
      log: parts.log,
      load: new Int32Array(this.load),
      lanes,
      queueSize: settings['thread_pool.heavy.queue_size'],
      maxRunMs: maxRunMs < 0 ? Number.POSITIVE_INFINITY : maxRunMs,
      heapBytes,
    });
  }

  get stats(): LaneStats {
    return this.#pool.stats;
  }

  /** @param start  sent to each new lane */
  open(start: ToReader): void {
    this.#start = start;
  }

  /** Starts a lane and keeps it warm. */
  warm(): void {
    this.#pool.warm();
  }

  async run(reader: number, request: LaneRequest): Promise<Transferred> {
    this.#parts.breaker.check(request.body?.length ?? 0, `${request.method} ${request.path}`);
    const answer: LaneAnswer = await this.#pool.run(reader, request);
    return new Transferred(answer, [answer.body.buffer as ArrayBuffer]);
  }

  /** The responses of all lanes that were idle and have not failed. @param reader  number of the lane that asks */
  async help(reader: number, request: LaneRequest): Promise<Transferred> {
    const outcomes = await Promise.allSettled(this.#pool.help(reader, request));
    const answers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    return new Transferred(
      answers,
      answers.map(({ body }) => body.buffer as ArrayBuffer),
    );
  }

  cancel(reader: number, id: number): void {
    this.#pool.cancel(reader, id);
  }

  inform(message: ToReader): void {
    this.#host.inform(message);
  }

  stop(): Promise<void> {
    return this.#pool.stop();
  }

  #onMessage(reader: number, message: FromReader): unknown {
    return message.type === 'context' ? this.#onContext(reader, message.request) : this.#parts.onMessage(reader, message);
  }

  #onContext(reader: number, request: ContextRequest): unknown {
    const reply = this.#contexts.handle(request);
    if (request.action === 'use' && reply !== null && typeof reply === 'object' && 'loan' in reply) {
      const loans = this.#loans.get(reader) ?? new Set<number>();
      this.#loans.set(reader, loans.add(reply.loan));
    } else if (request.action === 'open' && typeof reply === 'string') {
      const opened = this.#opened.get(reader) ?? [];
      this.#opened.set(reader, [...opened, { kind: request.kind, key: reply }]);
    } else if (request.action === 'endUse') this.#loans.get(reader)?.delete(request.loan);
    return reply;
  }

  /** Returns the contexts that a lane had borrowed when it was ended, and closes those that its request had opened; other scrolls stay where they were. */
  #endContexts(reader: number): void {
    for (const { kind, key } of this.#opened.get(reader) ?? []) this.#contexts.handle({ action: 'close', kind, keys: [key] });
    this.#opened.delete(reader);
    for (const loan of this.#loans.get(reader) ?? []) this.#contexts.handle({ action: 'endUse', loan });
    this.#loans.delete(reader);
  }
}

const ACTIONS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\/_msearch\b/, 'indices:data/read/msearch'],
  [/\/_(?:search|count)\b/, 'indices:data/read/search'],
  [/\/_update_by_query\b/, 'indices:data/write/update/byquery'],
  [/\/_delete_by_query\b/, 'indices:data/write/delete/byquery'],
  [/^\/_reindex\b/, 'indices:data/write/reindex'],
];

function actionOf({ method, path, action }: Pick<LaneRequest, 'method' | 'path' | 'action'>): string {
  return ACTIONS.find(([pattern]) => pattern.test(path))?.[1] ?? action ?? `rest:${method} ${path}`;
}

/** The task that runs it is listed instead. */
function isPartOfTask({ part, query }: LaneRequest): boolean {
  return part !== null && /\bwait_for_completion=false\b/.test(query);
}

/** A request in a lane as an element of the task list. */
function taskOf({ method, path, headers, body, caller, action }: LaneRequest): TaskStart {
  const [, indices = ''] = /^\/([^/_][^/]*)\//.exec(path) ?? [];
  const source = body === null ? '' : Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, MAX_SOURCE_CHARS)).toString('utf8');
  const opaqueId = headers['x-opaque-id'];
  return {
    action: actionOf({ method, path, action }),
    description: `indices[${indices}], search_type[QUERY_THEN_FETCH], source[${source}]`,
    headers: opaqueId === undefined ? {} : { 'X-Opaque-Id': opaqueId },
    requestsPerSecond: null,
    ...(caller === null
      ? {}
      : { owner: ownerOf({ username: caller.user, apiKey: caller.apiKeyId === null ? null : { id: caller.apiKeyId } }) }),
  };
}
