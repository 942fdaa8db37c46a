// Traces of an indexer: the phases of requests that http workers send it, and refreshes that no request waits for.
import { activeSpan } from '../../common/tracing/span.ts';
import type { Tracer } from '../../common/tracing/tracer.ts';
import type { ShardWriter } from '../../indexing/shard-writer.ts';
import type { NodeOptions } from '../threads/node-options.ts';
import { openNodeTracer } from '../threads/node-tracer.ts';

export class IndexerTraces {
  /** null if traces are not sent. */
  readonly #tracer: Tracer | null;

  constructor(options: NodeOptions, number: number, onProblem: (message: string) => void) {
    this.#tracer = openNodeTracer(options, `indexer-${number}`, onProblem);
  }

  /** Runs work as a part of the request that sent this `traceparent`. */
  run<T>(traceparent: string | undefined, work: () => T): T {
    const span = this.#tracer?.continue(traceparent) ?? null;
    return this.#tracer === null || span === null ? work() : this.#tracer.run(span, work);
  }

  /** Refreshes the shard. One that no request waits for is a trace of its own. */
  async refresh(writer: ShardWriter): Promise<void> {
    if (this.#tracer === null || !writer.isDirty) return writer.refresh();
    const begun = performance.now();
    await writer.refresh();
    const { index, shard } = writer.identity;
    const attributes = { 'db.collection.name': index, 'gannet.shard': shard };
    const span = activeSpan();
    if (span !== null) span.phase('refresh', begun, performance.now(), attributes);
    else this.#tracer.alone('refresh', begun, performance.now(), attributes);
  }

  async flush(): Promise<void> {
    await this.#tracer?.flush();
  }
}
