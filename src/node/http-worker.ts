// An http worker: a listener, the REST API over it, and a reader that answers searches in this thread.
import type { Settings } from '../config/settings.ts';
import { createListener } from '../http/create-listener.ts';
import type { HttpListener } from '../http/listener.ts';
import { keepThreadAlive } from '../http/uws-guards.ts';
import { Dispatcher } from '../rest/dispatch.ts';
import type { Store } from '../store/store.ts';
import { openLogger } from './node-log.ts';
import { Reader } from './reader.ts';
import type { ThreadData } from './thread.ts';

/** Builds everything; the listener opens when main says `start`. */
export function startHttpWorker(data: ThreadData, store: Store): void {
  const { options } = data;
  const settings = options.settings as unknown as Settings;
  let listener: HttpListener | null = null;
  const reader = new Reader({ ...data, store }, (message) => {
    switch (message.type) {
      case 'start':
        reader.context.publishAddress = message.publishAddress;
        listener = createListener(
          {
            host: settings['http.host'],
            port: message.port,
            maxContentLength: settings['http.max_content_length'],
            maxHeaderSize: settings['http.max_header_size'],
            readTimeoutMs: settings['http.read_timeout'],
          },
          dispatcher.handle,
          settings['http.listener'],
        );
        return listener.listen();
      case 'stop':
        return listener?.drain();
      case 'exit':
        return exit(listener, dispatcher);
      case 'reopenLogs':
        return dispatcher.reopenLogs();
    }
  });
  const dispatcher = new Dispatcher(settings, reader.context, openLogger(settings, `http-${data.number}`));
  // A thread that dies while it has a uWebSockets listener takes the process with it, so nothing may reach the top uncaught.
  keepThreadAlive((error) => reader.log('error', `uncaught: ${error instanceof Error ? error.stack : String(error)}`));
}

function exit(listener: HttpListener | null, dispatcher: Dispatcher): void {
  dispatcher.closeLogs();
  if (listener) listener.stop(0);
  process.exit(0);
}
