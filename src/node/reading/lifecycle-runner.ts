// Carries out lifecycles of indices and data streams: at intervals, and after changes of the metadata. One reader of the node does it.
import type { EngineContext } from '../../api/core/context.ts';
import { runPolicies } from '../../api/lifecycle/run-policies.ts';
import { runStreamLifecycles } from '../../api/lifecycle/run-retention.ts';
import type { LogLevel } from '../../common/log/logger.ts';
import { parseDurationMs } from '../../common/text/time-unit.ts';
import { hasStreamLifecycles } from '../../metadata/indices/data-streams.ts';
import { hasIndexLifecycles } from '../../metadata/policies/index-lifecycles.ts';

/** Defaults of Elasticsearch's settings. */
const POLICY_INTERVAL = { setting: 'indices.lifecycle.poll_interval', ms: 10 * 60_000 };
const STREAM_INTERVAL = { setting: 'data_streams.lifecycle.poll_interval', ms: 5 * 60_000 };
const MIN_INTERVAL_MS = 1000;
/** Changes that follow each other are handled together. */
const AFTER_CHANGE_MS = 100;

export class LifecycleRunner {
  readonly #ctx: EngineContext;
  readonly #log: (level: LogLevel, message: string) => void;
  /** One for the next change, one for each kind of poll. */
  readonly #timers = new Map<'change' | 'policies' | 'streams', NodeJS.Timeout>();
  #seen: unknown[] = [];
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(ctx: EngineContext, log: (level: LogLevel, message: string) => void) {
    this.#ctx = ctx;
    this.#log = log;
  }

  /** Call it after each change of the metadata. */
  update(): void {
    const { indices, indexLifecycles, dataStreams, settings } = this.#ctx.cluster;
    const now = [indices, indexLifecycles, dataStreams, settings];
    if (this.#isStopped || now.every((part, i) => part === this.#seen[i])) return;
    const intervalsChanged = settings !== this.#seen[3];
    this.#seen = now;
    const usesPolicies = hasIndexLifecycles(this.#ctx.cluster);
    if (usesPolicies) this.#start('change', AFTER_CHANGE_MS, () => this.#runPolicies(false));
    this.#poll('policies', usesPolicies, POLICY_INTERVAL, intervalsChanged, () => this.#runPolicies(true));
    this.#poll('streams', hasStreamLifecycles(this.#ctx.cluster), STREAM_INTERVAL, intervalsChanged, () => this.#runStreams());
  }

  /** Resolves when nothing is being carried out any more. */
  stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    return this.#running;
  }

  #poll(kind: 'policies' | 'streams', isUsed: boolean, interval: typeof POLICY_INTERVAL, restart: boolean, run: () => Promise<void>): void {
    if (!isUsed || restart) {
      clearTimeout(this.#timers.get(kind));
      this.#timers.delete(kind);
    }
    if (!isUsed) return;
    const again = () => this.#start(kind, this.#intervalMs(interval), () => run().finally(again));
    if (!this.#timers.has(kind)) again();
  }

  #intervalMs({ setting, ms }: typeof POLICY_INTERVAL): number {
    const { transient, persistent } = this.#ctx.cluster.settings;
    const given = transient[setting] ?? persistent[setting];
    return given === undefined ? ms : Math.max(MIN_INTERVAL_MS, parseDurationMs(String(given)) ?? ms);
  }

  #start(kind: 'change' | 'policies' | 'streams', ms: number, run: () => Promise<void>): void {
    if (this.#isStopped || (kind === 'change' && this.#timers.has(kind))) return;
    const timer = setTimeout(() => {
      if (kind === 'change') this.#timers.delete(kind);
      this.#running = this.#running.then(run).catch((error: Error) => {
        if (!this.#isStopped) this.#log('warn', `lifecycles were not carried out: ${error.message}`);
      });
    }, ms);
    timer.unref();
    this.#timers.set(kind, timer);
  }

  /** Of the nodes of a cluster, only the manager carries out lifecycles. */
  get #isManager(): boolean {
    return this.#ctx.nodes.some(({ id, isManager }) => isManager && id === this.#ctx.nodeId);
  }

  async #runPolicies(atPoll: boolean): Promise<void> {
    if (this.#isManager) await runPolicies(this.#ctx, atPoll, () => this.#isStopped);
  }

  async #runStreams(): Promise<void> {
    if (!this.#isManager) return;
    await runStreamLifecycles(
      this.#ctx,
      () => this.#isStopped,
      (message) => this.#log('warn', message),
    );
  }
}
