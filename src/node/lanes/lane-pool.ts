// The lanes of the node, held by main: threads without a listener that run what is too heavy for an http worker. A lane runs one request at a time.
// A lane that exceeds its time or its heap limit is terminated alone: its request fails, and the next one gets a new thread.
//   run ──► queue (by sender, in turn) ──► lane ──► answer
//            │ full: 429                    │ timeout: asked for a partial answer, ended TIMEOUT_GRACE_MS later
//            │ cancelled: removed           │ cancelled, disconnected, out of time: failed at once, ended CANCEL_GRACE_MS later
//   help ──► idle lanes, which answer at once with what they have when a request waits for a lane
// One lane is kept warm; others start when requests wait, and end when they have been idle for a while.
import { ApiError } from '../../errors/api-error.ts';
import { rejectedExecutionError, taskCancelledError } from '../../errors/catalog.ts';
import type { LaneAnswer, LaneRequest } from '../../rest/core/lane.ts';
import type { JobAnswer } from '../messages/messages.ts';
import { FairQueue } from './fair-queue.ts';
import { outOfMemoryError, outOfTimeError } from './lane-errors.ts';
import { SIGNAL_CANCEL, SIGNAL_NONE, SIGNAL_TIME_UP } from './signal.ts';

/** A thread that can run requests. */
export interface LaneThread {
  readonly signal: Int32Array;
  run(request: LaneRequest): Promise<JobAnswer>;
  /** Terminates the thread, whatever it does. Resolves after main has released its memory. */
  end(): Promise<void>;
}

export interface LaneEvents {
  /** The thread has begun its request: a new thread has to load first. */
  onBegin(): void;
  /** The request that runs allows this time for its response. */
  onTimeout(ms: number): void;
  /** The thread has ended. @param error  null if it was requested */
  onExit(error: Error | null): void;
}

export interface LanePoolOptions {
  readonly start: (slot: number, events: LaneEvents) => LaneThread;
  /** Lists a running request. @returns removes it from the list */
  readonly list: (request: LaneRequest, onCancel: () => void) => () => void;
  /** The error for a request if the process exceeds its memory limit; otherwise null. */
  readonly overMemory: (request: LaneRequest) => ApiError | null;
  /** A request was ended because its heap was used up. */
  readonly onMemoryTrip: () => void;
  readonly log: (level: 'warn' | 'error', message: string) => void;
  /** i32[1]: set to 1 while a request would have to wait. */
  readonly load: Int32Array;
  readonly lanes: number;
  readonly queueSize: number;
  readonly maxRunMs: number;
  /** Heap of a lane, named in errors. */
  readonly heapBytes: number;
}

const TIMEOUT_GRACE_MS = 500;
const CANCEL_GRACE_MS = 50;
const IDLE_MS = 10_000;
const GUARD_MS = 50;
/** A thread that holds more than this after a request is replaced when nothing waits: neither V8 nor malloc return all of it. */
const MAX_HELD_BYTES = 96 << 20;
/** Delay before a warm lane replaces one that failed. */
const RESTART_MS = 20;

interface Job {
  readonly request: LaneRequest;
  readonly reader: number;
  readonly queuedMs: number;
  readonly resolve: (answer: LaneAnswer) => void;
  readonly reject: (error: Error) => void;
  /** A lane has asked for it: it gives way to other requests. */
  readonly isHelp: boolean;
  unlist: () => void;
  /** Fails the request if it waits for longer than its timeout. */
  waiting: NodeJS.Timeout | undefined;
  /** Partial answer from here on; infinite without a timeout. As performance.now(). */
  timeUpMs: number;
  isSettled: boolean;
}

interface Lane {
  readonly slot: number;
  thread: LaneThread | null;
  job: Job | null;
  startedMs: number;
  /** The thread is being ended and takes no requests. */
  isEnding: boolean;
  timer: NodeJS.Timeout | undefined;
}

export interface LaneStats {
  readonly threads: number;
  readonly active: number;
  readonly queued: number;
  readonly completed: number;
  readonly rejected: number;
  /** Requests that were ended for their time or memory. */
  readonly tripped: number;
}

export class LanePool {
  readonly #options: LanePoolOptions;
  readonly #queue = new FairQueue<Job>();
  readonly #lanes: Lane[];
  /** Running and queued requests by `reader id`. */
  readonly #jobs = new Map<string, Job>();
  #guarding: NodeJS.Timeout | null = null;
  #isStopped = false;
  #completed = 0;
  #rejected = 0;
  #tripped = 0;

  constructor(options: LanePoolOptions) {
    this.#options = options;
    this.#lanes = Array.from({ length: options.lanes }, (_, slot) => ({
      slot,
      thread: null,
      job: null,
      startedMs: 0,
      isEnding: false,
      timer: undefined,
    }));
  }

  get stats(): LaneStats {
    const threads = this.#lanes.filter(({ thread }) => thread !== null).length;
    const active = this.#lanes.filter(({ job }) => job !== null).length;
    const { size: queued } = this.#queue;
    return { threads, active, queued, completed: this.#completed, rejected: this.#rejected, tripped: this.#tripped };
  }

  /** Starts the warm lane. */
  warm(): void {
    const [first] = this.#lanes;
    if (!this.#isStopped && first.thread === null) this.#start(first);
  }

  /** @throws ApiError as Lanes.run */
  run(reader: number, request: LaneRequest): Promise<LaneAnswer> {
    if (this.#isStopped) return Promise.reject(closingError());
    if (this.#queue.size >= this.#options.queueSize) {
      this.#rejected++;
      return Promise.reject(
        rejectedExecutionError(
          `rejected execution of [${request.method} ${request.path}] on [name = ${this.#options.lanes} lanes, queue capacity = ${this.#options.queueSize}, queued tasks = ${this.#queue.size}, completed tasks = ${this.#completed}]`,
        ),
      );
    }
    return new Promise((resolve, reject) => {
      const job = makeJob(request, reader, { resolve, reject, isHelp: false });
      const { timeUpMs, queuedMs } = job;
      if (timeUpMs !== Number.POSITIVE_INFINITY) {
        job.waiting = setTimeout(
          () => this.#abandon(job, outOfTimeError(request, timeUpMs - queuedMs)),
          timeUpMs - queuedMs + TIMEOUT_GRACE_MS,
        );
      }
      job.unlist = this.#options.list(request, () => this.#abandon(job, taskCancelledError()));
      this.#jobs.set(keyOf(job), job);
      this.#queue.push(request.sender, job);
      this.#pump();
      if (this.#queue.size > 0) this.#dismissHelpers();
    });
  }

  /** Runs a part of a request in each lane that is idle. @param reader  number of the lane that asks */
  help(reader: number, request: LaneRequest): Promise<LaneAnswer>[] {
    if (this.#isStopped || this.#queue.size > 0) return [];
    const idle = this.#lanes.filter(({ job, isEnding }) => job === null && !isEnding);
    const answers = idle.map(
      (lane) =>
        new Promise<LaneAnswer>((resolve, reject) => {
          const body = request.body === null ? null : new Uint8Array(request.body);
          this.#begin(lane, makeJob({ ...request, body }, reader, { resolve, reject, isHelp: true }));
        }),
    );
    this.#pump();
    return answers;
  }

  /** Ends the help for a lane that has ended. */
  endHelp(reader: number): void {
    for (const { job } of this.#lanes) if (job?.isHelp && job.reader === reader) this.#abandon(job, taskCancelledError());
  }

  /** Asks helpers for what they have found so far, because other requests wait. */
  #dismissHelpers(): void {
    for (const { thread, job } of this.#lanes) if (thread && job?.isHelp) Atomics.store(thread.signal, 0, SIGNAL_TIME_UP);
  }

  /** Ends a request whose client has disconnected. */
  cancel(reader: number, id: number): void {
    const job = this.#jobs.get(`${reader} ${id}`);
    if (job) this.#abandon(job, taskCancelledError());
  }

  /** Fails all requests and ends all threads. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const job of [...this.#jobs.values()]) this.#settle(job, closingError());
    this.#queue.drain();
    await Promise.all(this.#lanes.map((lane) => this.#end(lane)));
  }

  // ------------------------------------------------------------------------------------------------------------ requests

  /** Gives waiting requests to idle lanes. */
  #pump(): void {
    let lane = this.#idleLane();
    for (; lane !== null && this.#queue.size > 0; lane = this.#idleLane()) {
      const job = this.#queue.shift();
      if (job) this.#begin(lane, job);
    }
    Atomics.store(this.#options.load, 0, lane === null ? 1 : 0);
  }

  #idleLane(): Lane | null {
    const idle = this.#lanes.filter(({ job, isEnding }) => job === null && !isEnding);
    return idle.find(({ thread }) => thread !== null) ?? idle[0] ?? null;
  }

  #begin(lane: Lane, job: Job): void {
    const thread = lane.thread ?? this.#start(lane);
    clearTimeout(job.waiting);
    lane.job = job;
    lane.startedMs = performance.now();
    Atomics.store(thread.signal, 0, SIGNAL_NONE);
    this.#watch(lane);
    this.#guard();
    thread.run(job.request).then(
      (answer) => this.#onAnswer(lane, job, answer),
      (error) => this.#onFailure(lane, job, error),
    );
  }

  #onAnswer(lane: Lane, job: Job, answer: JobAnswer): void {
    const { heldBytes, ...sent } = answer;
    this.#settle(job, sent);
    this.#free(lane, job);
    if (lane.job === null && heldBytes > MAX_HELD_BYTES && this.#queue.size === 0) void this.#replace(lane);
  }

  #onFailure(lane: Lane, job: Job, error: Error): void {
    // The thread has ended; `onExit` handles the reason.
    if (error instanceof ApiError && error.type === 'node_closed_exception') return;
    this.#settle(job, error);
    this.#free(lane, job);
  }

  #free(lane: Lane, job: Job): void {
    if (lane.job !== job) return;
    lane.job = null;
    clearTimeout(lane.timer);
    this.#pump();
    if (lane.job === null && lane.slot > 0) lane.timer = setTimeout(() => this.#end(lane), IDLE_MS).unref();
  }

  #settle(job: Job, result: LaneAnswer | Error): void {
    if (job.isSettled) return;
    job.isSettled = true;
    job.unlist();
    clearTimeout(job.waiting);
    if (!job.isHelp) {
      this.#jobs.delete(keyOf(job));
      this.#completed++;
    }
    if (result instanceof Error) job.reject(result);
    else job.resolve(result);
  }

  /** Fails a request at once. The thread that runs it is ended if it does not react. */
  #abandon(job: Job, error: ApiError): void {
    this.#settle(job, error);
    if (this.#queue.remove(job.request.sender, job)) return;
    const lane = this.#lanes.find((each) => each.job === job);
    if (!lane?.thread) return;
    Atomics.store(lane.thread.signal, 0, SIGNAL_CANCEL);
    clearTimeout(lane.timer);
    lane.timer = setTimeout(() => {
      if (lane.job === job) void this.#replace(lane);
    }, CANCEL_GRACE_MS);
  }

  // -------------------------------------------------------------------------------------------------------------- memory

  /** Checks the memory of the process while requests run. */
  #guard(): void {
    this.#guarding ??= setInterval(() => {
      const running = this.#lanes.filter(({ job }) => job !== null).sort((a, b) => a.startedMs - b.startedMs);
      if (running.length === 0) {
        clearInterval(this.#guarding ?? undefined);
        this.#guarding = null;
        return;
      }
      // One at a time, the one that has run for the longest: its memory is free only after its thread has ended.
      const [{ job }] = running;
      if (job === null || job.isSettled || this.#lanes.some(({ isEnding }) => isEnding)) return;
      const error = this.#options.overMemory(job.request);
      if (error === null) return;
      this.#tripped++;
      this.#abandon(job, error);
    }, GUARD_MS);
  }

  // ---------------------------------------------------------------------------------------------------------------- time

  /** Arms the timer for the next limit of the request that the lane runs. */
  #watch(lane: Lane): void {
    const { job } = lane;
    if (job === null) return;
    clearTimeout(lane.timer);
    const endMs = this.#endOf(lane, job);
    const isAsked = lane.thread !== null && Atomics.load(lane.thread.signal, 0) === SIGNAL_TIME_UP;
    const next = isAsked ? endMs : Math.min(endMs, job.timeUpMs);
    if (next !== Number.POSITIVE_INFINITY) lane.timer = setTimeout(() => this.#onTime(lane, job), Math.max(0, next - performance.now()));
  }

  #endOf(lane: Lane, job: Job): number {
    return Math.min(lane.startedMs + this.#options.maxRunMs, job.timeUpMs + TIMEOUT_GRACE_MS);
  }

  #onTime(lane: Lane, job: Job): void {
    if (lane.job !== job || !lane.thread) return;
    const now = performance.now();
    if (now < this.#endOf(lane, job) - 1) {
      Atomics.store(lane.thread.signal, 0, SIGNAL_TIME_UP);
      this.#watch(lane);
      return;
    }
    this.#tripped++;
    const allowedMs = Math.min(this.#options.maxRunMs, job.timeUpMs - job.queuedMs);
    this.#options.log('warn', `[${job.request.method} ${job.request.path}] was ended after ${Math.round(now - lane.startedMs)} ms`);
    this.#abandon(job, outOfTimeError(job.request, allowedMs));
  }

  // ------------------------------------------------------------------------------------------------------------- threads

  #start(lane: Lane): LaneThread {
    const thread = this.#options.start(lane.slot, {
      onBegin: () => {
        if (lane.thread !== thread || lane.job === null) return;
        lane.startedMs = performance.now();
        this.#watch(lane);
      },
      onTimeout: (ms) => {
        const { job } = lane;
        if (lane.thread !== thread || job === null || ms <= 0) return;
        job.timeUpMs = Math.min(job.timeUpMs, job.queuedMs + ms);
        this.#watch(lane);
      },
      onExit: (error) => {
        if (lane.thread === thread && !lane.isEnding) this.#onExit(lane, error);
      },
    });
    lane.thread = thread;
    return thread;
  }

  /** A thread has ended by itself, because of an error or a lack of memory. */
  #onExit(lane: Lane, error: Error | null): void {
    const { job } = lane;
    const isMemory = (error as NodeJS.ErrnoException | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (!isMemory && !this.#isStopped) this.#options.log('error', `lane ended: ${error?.stack ?? 'without an error'}`);
    if (job !== null) {
      this.#tripped++;
      if (isMemory) this.#options.onMemoryTrip();
      this.#settle(job, isMemory ? outOfMemoryError(job.request, this.#options.heapBytes) : (error ?? closingError()));
    }
    void this.#replace(lane);
  }

  async #replace(lane: Lane): Promise<void> {
    await this.#end(lane);
    this.#pump();
    if (lane.slot === 0) setTimeout(() => this.warm(), RESTART_MS).unref();
  }

  async #end(lane: Lane): Promise<void> {
    const { thread, job } = lane;
    clearTimeout(lane.timer);
    if (thread === null || lane.isEnding) return;
    lane.isEnding = true;
    await thread.end();
    lane.thread = null;
    lane.isEnding = false;
    if (lane.job === job) lane.job = null;
    if (job !== null) this.#settle(job, closingError());
  }
}

function makeJob(request: LaneRequest, reader: number, calls: Pick<Job, 'resolve' | 'reject' | 'isHelp'>): Job {
  const queuedMs = performance.now();
  const { timeoutMs } = request;
  const timeUpMs = timeoutMs === null || timeoutMs <= 0 ? Number.POSITIVE_INFINITY : queuedMs + timeoutMs;
  return { request, reader, queuedMs, ...calls, unlist: () => undefined, waiting: undefined, timeUpMs, isSettled: false };
}

function keyOf({ reader, request }: Job): string {
  return `${reader} ${request.id}`;
}

function closingError(): ApiError {
  return new ApiError('node_closed_exception', 503, 'node is closing');
}
