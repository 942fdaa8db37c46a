// A connection to a back end that speaks HTTP/2 (grpc_pass, proxy_http_version 2), by node:http2. It has one stream at a time, so that peer
// selection, timeouts, retries and the pool of idle connections work as for all back ends. During a request its stream replaces the socket.
import http2, { type ClientHttp2Session, type ClientHttp2Stream, type OutgoingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import type { HeaderField } from '../../../../http/wire/header.ts';
import { PeerConnection } from '../connection/connect.ts';
import { addField } from './http-response.ts';
import type { UpstreamHead } from './protocol.ts';
import { InvalidResponse, type ParserSink, type ResponseParser } from './protocol.ts';

const { NGHTTP2_FLAG_END_STREAM, NGHTTP2_CANCEL } = http2.constants;
/** Bytes of a response in flight that the client has not read. nginx has no such limit; it bounds memory. */
const WINDOW = 1024 * 1024;

export class Http2Peer extends PeerConnection {
  #session: ClientHttp2Session | null = null;
  #stream: ClientHttp2Stream | null = null;
  #transport: Socket | null = null;
  #parser: Http2Parser | null = null;
  #goaway = false;

  protected override opened(): void {
    const { socket } = this;
    this.connected = true;
    this.#transport = socket;
    this.#session = http2.connect('http://upstream', {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: WINDOW },
    });
    // errors are reported by the stream or the socket
    this.#session.on('error', () => {});
    this.#session.on('goaway', () => {
      this.#goaway = true;
      if (!this.#stream) this.destroy();
    });
    socket.on('end', () => this.closed());
    this.events?.onConnect();
  }

  /** The parser of the next response. */
  makeParser(sink: ParserSink, fail: (error: InvalidResponse) => void): Http2Parser {
    return (this.#parser = new Http2Parser(sink, this, fail));
  }

  /** Starts a request. @param endStream  it has no body */
  request(headers: OutgoingHttpHeaders, endStream: boolean): void {
    const parser = this.#parser;
    const session = this.#session;
    if (!session || !parser) throw new Error('the connection is not open');
    const stream = session.request(headers, { endStream });
    this.#stream = stream;
    // biome-ignore lint/plugin: a stream has what PeerConnection uses of a socket
    this.socket = stream as unknown as Socket;
    stream.on('response', (_headers, flags: number, raw?: string[]) => parser.response(raw ?? [], (flags & NGHTTP2_FLAG_END_STREAM) !== 0));
    stream.on('trailers', (_headers: unknown, _flags: number, raw?: string[]) => parser.trailers(raw ?? []));
    stream.on('data', (data: Buffer) => {
      this.bytesReceived += data.length;
      this.events?.onData(data);
    });
    stream.on('drain', () => this.events?.onDrain());
    stream.on('error', () => {});
    stream.on('end', () => {
      // an abandoned stream also ends
      if (this.#stream === stream && stream.rstCode === 0) parser.finished();
    });
    stream.on('close', () => {
      if (this.#stream !== stream) return;
      if (!session.destroyed && !session.closed) parser.refusedWith = stream.rstCode ?? 0;
      this.closed();
    });
  }

  /** The response is complete. @returns whether the connection can be used again */
  release(): boolean {
    this.#stream = null;
    if (this.#transport) this.socket = this.#transport;
    return !this.#goaway && this.#session?.destroyed === false;
  }

  override destroy(): void {
    const stream = this.#stream;
    this.#stream = null;
    if (this.#transport) this.socket = this.#transport;
    if (stream && !stream.destroyed) stream.close(NGHTTP2_CANCEL);
    super.destroy();
    this.#session?.destroy();
  }
}

/** Receives one response. */
class Http2Parser implements ResponseParser {
  /** code of RST_STREAM, 0: none was received */
  refusedWith = 0;
  #trailerFields: HeaderField[] = [];
  #failure: Error | null = null;
  #headSeen = false;

  readonly #sink: ParserSink;
  readonly #peer: Http2Peer;
  readonly #fail: (error: InvalidResponse) => void;

  constructor(sink: ParserSink, peer: Http2Peer, fail: (error: InvalidResponse) => void) {
    this.#sink = sink;
    this.#peer = peer;
    this.#fail = fail;
  }

  /** @param raw  names and values alternating */
  response(raw: string[], ends: boolean): void {
    const head: UpstreamHead = { status: 0, statusLine: '', fields: [], contentLength: -1 };
    try {
      for (let n = 0; n + 1 < raw.length; n += 2) {
        if (raw[n] === ':status') head.status = Number(raw[n + 1]);
        else if (!raw[n].startsWith(':')) {
          const field = { name: raw[n], lname: raw[n], value: raw[n + 1] };
          const previous = addField(head.fields, field);
          if (previous) this.#sink.repeated?.(field, previous);
        }
      }
      const length = head.fields.find((f) => f.lname === 'content-length');
      if (length) head.contentLength = Number(length.value);
      // a response without a body has its status in the header, which must remain the end of the stream
      else if (ends) head.contentLength = 0;
      this.#headSeen = true;
      this.#sink.head(head);
    } catch (error) {
      if (!(error instanceof InvalidResponse)) throw error;
      this.#failure = error;
      this.#fail(error);
    }
  }

  trailers(raw: string[]): void {
    for (let n = 0; n + 1 < raw.length; n += 2)
      if (!raw[n].startsWith(':')) this.#trailerFields.push({ name: raw[n], lname: raw[n], value: raw[n + 1] });
  }

  finished(): void {
    if (this.#failure || !this.#headSeen) return;
    if (this.#trailerFields.length > 0) this.#sink.trailers(this.#trailerFields);
    this.#sink.complete(this.#peer.release());
  }

  feed(data: Buffer): void {
    this.#sink.body(data);
  }

  /** @throws InvalidResponse  the peer refused the request */
  end(): boolean {
    if (this.refusedWith !== 0) throw new InvalidResponse(`upstream rejected request with error ${this.refusedWith}`);
    return false;
  }
}
