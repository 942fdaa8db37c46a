// An http worker: a listener, the REST API over it, and a reader that answers searches in this thread.
import { createListener } from '../../http/create-listener.ts';

import type { HttpListener } from '../../http/listener.ts';
import { assertPortFree, keepThreadAlive } from '../../http/uws-process.ts';
import { answerForwarded } from '../../rest/core/forwarded.ts';
import { Dispatcher } from '../../rest/dispatch.ts';
import type { Store } from '../../store/store.ts';
import { openLogger } from '../threads/node-log.ts';
import { openNodeTracer } from '../threads/node-tracer.ts';
import type { ThreadData } from '../threads/thread.ts';
import { threadCounts } from '../threads/thread-counts.ts';
import { tlsOptions } from '../threads/tls-settings.ts';
import { Reader } from './reader.ts';

/** Builds the worker; its listener opens when main sends `start`. @returns ends this thread after main has stopped the worker */
export function startHttpWorker(data: ThreadData, store: Store): () => void {
  const { options } = data;
  const { settings } = options;
  let listener: HttpListener | null = null;
  const reader = new Reader(
    { ...data, store },
    (message) => {
      switch (message.type) {
        case 'start':
          reader.context.publishAddress = message.publishAddress;
          return whenBuilt.then(async (built) => {
            if (data.number === 0) await assertPortFree(settings['http.host'], settings['http.port']);
            return built.listen();
          });
        case 'stop':
          return Promise.resolve(listener?.drain()).then(() => dispatcher.flushSpans());
        case 'exit':
          return close();
        case 'serve':
          return answerForwarded(message.request, dispatcher.handle);
        case 'reopenLogs':
          return dispatcher.reopenLogs();
        case 'reload':
          dispatcher.reload(message.fileRealm);
          return listener?.reloadTls();
      }
    },
    data.number === 0,
  );
  const name = `http-${data.number}`;
  const logger = openLogger(settings, name);
  const dispatcher = new Dispatcher(
    settings,
    reader.context,
    logger,
    reader.lanes(data.laneLoad),
    options.metrics && { memory: options.metrics, row: data.number },
    options.logins,
    openNodeTracer(options, name, (problem) => logger.warn(problem)),
    settings['cluster.nats.servers'].length > 0 ? reader.peers : null,
  );
  // A thread that dies while it has a uWebSockets listener crashes the process, so no error may stay uncaught.
  keepThreadAlive((error) => reader.log('error', `uncaught: ${error instanceof Error ? error.stack : String(error)}`));
  const close = () => {
    dispatcher.closeLogs();
    if (listener === null) process.exit(0);
    listener.stop(0);
  };
  const whenBuilt = createListener(
    {
      host: settings['http.host'],
      port: settings['http.port'],
      maxContentLength: settings['http.max_content_length'],
      maxHeaderSize: settings['http.max_header_size'],
      readTimeoutMs: settings['http.read_timeout'],
      minBodyRate: settings['http.min_body_rate'],
      isShared: threadCounts(settings).listeners > 1,
      tls: tlsOptions(settings),
    },
    dispatcher.handle,
    settings['http.listener'],
  );
  // Set as soon as it exists: a thread that ends before `start` must close it, too.
  whenBuilt.then(
    (built) => {
      listener = built;
    },
    () => undefined, // `start` reports the error
  );
  return close;
}
