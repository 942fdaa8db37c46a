// The listener on hyper-express. One per thread; several threads share a port.
import { type Handler, type HttpListener, type HttpRequest, type ListenerOptions, refusalBody, type TlsOptions } from './listener.ts';
import { UwsBody } from './uws-body.ts';
import { type HyperRequest, type HyperResponse, type HyperServer, loadGuardedHyperExpress, type RawResponse } from './uws-guards.ts';
import { type ReplyOwner, UwsReply } from './uws-reply.ts';

/** Guard 10: uWebSockets cuts a transfer that is slower than about 16 KB/s after some 10 s; a pause and a resume reset its clock. */
const WATCH_INTERVAL_MS = 4000;

class UwsRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: UwsBody;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #raw: RawResponse;
  #remoteAddress: string | null = null;

  constructor(request: HyperRequest, body: UwsBody) {
    this.method = request.sentMethod;
    this.path = request.path;
    this.query = request._query ?? '';
    this.body = body;
    this.#headers = request.headers;
    this.#raw = request._raw_response;
  }

  /** Must be read before the reply is sent: the socket is gone afterwards. */
  get remoteAddress(): string {
    this.#remoteAddress ??= Buffer.from(this.#raw.getRemoteAddressAsText()).toString('latin1');
    return this.#remoteAddress;
  }

  header(name: string): string | undefined {
    return this.#headers[name];
  }

  headers(): Readonly<Record<string, string>> {
    return this.#headers;
  }
}

export class HyperExpressListener implements HttpListener, ReplyOwner {
  readonly kind = 'uws';
  readonly #options: ListenerOptions;
  readonly #handler: Handler;
  /** The first one listens; the last one has the current certificate and gets new connections. The others keep theirs. */
  readonly #servers: HyperServer[] = [];
  /** Replies in progress. A Set would keep its old tables, and with them every reply, until a full collection. */
  readonly #replies: UwsReply[] = [];
  #inFlight = 0;
  isDraining = false;
  #whenIdle: Array<() => void> = [];
  #watch: NodeJS.Timeout | null = null;

  constructor(options: ListenerOptions, handler: Handler) {
    this.#options = options;
    this.#handler = handler;
    this.#servers.push(this.#newServer());
  }

  /** @throws Error a certificate or key is unusable */
  #newServer(): HyperServer {
    const { maxContentLength, tls } = this.#options;
    const { Server } = loadGuardedHyperExpress(maxContentLength);
    const server = newServer(Server, { auto_close: false, max_body_length: maxContentLength }, tls);
    server.any('/*', (request, response) => this.#accept(request, response));
    return server;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  async listen(): Promise<{ port: number }> {
    await this.#servers[0].listen(this.#options.port, this.#options.host);
    this.#watch = setInterval(() => this.#watchTransfers(), WATCH_INTERVAL_MS);
    this.#watch.unref();
    return { port: this.#options.port };
  }

  /** uWebSockets cannot replace certificates. A second server gets the connections that the first one accepts, which loses none of them. */
  async reloadTls(): Promise<void> {
    const { tls } = this.#options;
    if (tls === null) return;
    const { readTlsContext } = await import('./tls-context.ts');
    readTlsContext(tls);
    const server = this.#newServer();
    server._compile();
    const acceptor = this.#servers[0].uws_instance;
    acceptor.addChildAppDescriptor(server.uws_instance.getDescriptor());
    if (this.#servers.length > 1) acceptor.removeChildAppDescriptor(this.#servers[this.#servers.length - 1].uws_instance.getDescriptor());
    this.#servers.push(server);
  }

  #accept(request: HyperRequest, response: HyperResponse): void {
    const raw = request._raw_response;
    const body = new UwsBody(raw, request.bodyLength, this.#options.maxContentLength);
    const connection = request.headers.connection;
    const wantsClose = connection !== undefined && /(?:^|,)\s*close\s*(?:,|$)/i.test(connection);
    this.#inFlight++;
    const reply = new UwsReply(response, raw, body, request.sentMethod === 'HEAD', wantsClose, this);
    request.whenAborted = () => {
      body.abort();
      reply.abort();
    };
    if (this.#options.tls?.clientAuthentication === 'required' && raw.getX509Certificate() === '') {
      reply.send(
        400,
        { 'content-type': 'application/json', connection: 'close' },
        refusalBody(400, 'a certificate of the client is required'),
      );
      return;
    }
    if (this.isDraining) {
      reply.send(503, { 'content-type': 'application/json' }, refusalBody(503, 'the node is shutting down'));
      return;
    }
    try {
      this.#handler(new UwsRequest(request, body), reply)?.catch((error: unknown) => failed(reply, error));
    } catch (error) {
      failed(reply, error);
    }
    if (!reply.isFinished) {
      reply.place = this.#replies.length;
      this.#replies.push(reply);
    }
  }

  finished(reply: UwsReply): void {
    if (reply.place >= 0) {
      const last = this.#replies.pop();
      if (last && last !== reply) {
        this.#replies[reply.place] = last;
        last.place = reply.place;
      }
      reply.place = -1;
    }
    if (--this.#inFlight === 0) for (const wake of this.#whenIdle.splice(0)) wake();
  }

  #watchTransfers(): void {
    const now = Date.now();
    const timeoutMs = this.#options.readTimeoutMs;
    // A copy: replies closed here leave the list.
    for (const reply of [...this.#replies]) {
      if (reply.isFinished) continue;
      const { body } = reply;
      const isReading = !body.complete && !body.isPaused;
      if (!isReading && !reply.isStreaming) {
        reply.seen = -1;
        // Resuming a socket starts the idle timer of uWebSockets, even if the body has ended: the response may take longer than that.
        if (body.receivedBytes > 0 && body.isPaused) {
          reply.raw.resume();
          reply.raw.pause();
        } else if (body.receivedBytes > 0) {
          reply.raw.pause();
          reply.raw.resume();
        }
        continue;
      }
      reply.raw.pause();
      reply.raw.resume();
      if (isReading && !reply.sent) {
        // The handler answers 408.
        body.watch(WATCH_INTERVAL_MS, timeoutMs, this.#options.minBodyRate);
        continue;
      }
      const seen = body.receivedBytes + reply.progress;
      if (seen !== reply.seen) {
        reply.seen = seen;
        reply.stalledSinceMs = now;
      } else if (timeoutMs >= 0 && now - reply.stalledSinceMs >= timeoutMs) {
        reply.raw.close();
      }
    }
  }

  drain(): Promise<void> {
    this.isDraining = true;
    if (this.#inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  /** Guard 5: close and exit in one turn. */
  stop(exitCode: number): never {
    if (this.#watch) clearInterval(this.#watch);
    for (const server of this.#servers) server.uws_instance.close();
    process.exit(exitCode);
  }
}

/** @throws Error a certificate or key is unusable; without the options, which hyper-express would name with the passphrase */
function newServer(Server: new (options: Record<string, unknown>) => HyperServer, options: object, tls: TlsOptions | null): HyperServer {
  if (tls === null) return new Server({ ...options });
  try {
    return new Server({ ...options, ...uwsTls(tls) });
  } catch {
    throw new Error(`uWebSockets cannot use certificate [${tls.certificate}] with key [${tls.key}]`);
  }
}

/** TLS options of uWebSockets. A client's certificate is checked if it sends one; `required` is checked with each request. */
function uwsTls(tls: TlsOptions): Record<string, string> {
  return {
    cert_file_name: tls.certificate,
    key_file_name: tls.key,
    ...(tls.passphrase === null ? {} : { passphrase: tls.passphrase }),
    ...(tls.clientAuthentication === 'none' ? {} : { ca_file_name: tls.authorities[0] }),
  };
}

function failed(reply: UwsReply, error: unknown): void {
  process.emitWarning(`http handler failed: ${(error as Error).stack ?? error}`);
  if (!reply.sent) reply.send(500, {});
}
