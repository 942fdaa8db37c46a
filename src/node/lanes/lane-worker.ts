// A lane: a reader and the REST API without a listener. Main sends it one request at a time, and may end the thread at any moment.
import { collectGarbage } from '../../common/turns/collect-garbage.ts';
import { observeLane } from '../../common/turns/turn.ts';
import { asHttpRequest, LaneReply, type LaneRequest } from '../../rest/core/lane.ts';
import { Dispatcher } from '../../rest/dispatch.ts';
import type { Store } from '../../store/store.ts';
import { Transferred } from '../messages/channel.ts';
import type { JobAnswer } from '../messages/messages.ts';
import { Reader } from '../reading/reader.ts';
import { openLogger } from '../threads/node-log.ts';
import { openNodeTracer } from '../threads/node-tracer.ts';
import type { ThreadData } from '../threads/thread.ts';
import { readSignals } from './signal.ts';

/** A heap that has grown to more is collected at the end of a request. */
const GARBAGE_BYTES = 64 << 20;

/** Memory that the thread has from the system for its heap and its buffers. */
function heldBytes(): number {
  const { heapTotal, external, arrayBuffers } = process.memoryUsage();
  return heapTotal + Math.max(external, arrayBuffers);
}

export function startLane(data: ThreadData, store: Store): void {
  const { settings } = data.options;
  const reader = new Reader({ ...data, store }, (message) => {
    switch (message.type) {
      case 'start':
        reader.context.publishAddress = message.publishAddress;
        return;
      case 'stop':
        return dispatcher.flushSpans();
      case 'job':
        return run(message.request);
      case 'reopenLogs':
        return dispatcher.reopenLogs();
      case 'reload':
        return dispatcher.reload(message.fileRealm);
      default:
        return;
    }
  });
  // The thread that received the request writes it to the logs.
  const quiet = { ...settings, 'log.access': 'off', 'log.slow.threshold': -1 } as const;
  const name = `lane-${data.number}`;
  const logger = openLogger(settings, name);
  const tracer = openNodeTracer(data.options, name, (problem) => logger.warn(problem));
  const peers = settings['cluster.nats.servers'].length > 0 ? reader.peers : null;
  const dispatcher = new Dispatcher(quiet, reader.context, logger, null, null, null, tracer, peers, reader.helpers);
  if (data.signal) observeLane(readSignals(data.signal, (ms) => reader.notify({ type: 'laneTimeout', ms })));

  async function run(request: LaneRequest): Promise<Transferred> {
    reader.notify({ type: 'laneBegin' });
    const started = performance.now();
    const reply = new LaneReply();
    await dispatcher.handle(asHttpRequest(request), reply, request.caller, request.part, request.forwards);
    const answer = await reply.answer;
    const ranMs = performance.now() - started;
    // Garbage is no reason to replace the thread, which would lose its caches: analyzers of 100,000 synonyms take seconds to build.
    if (heldBytes() > GARBAGE_BYTES) collectGarbage();
    const sent: JobAnswer = { ...answer, ranMs, heldBytes: heldBytes() };
    return new Transferred(sent, [answer.body.buffer as ArrayBuffer]);
  }
}
