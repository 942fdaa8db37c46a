// The session object of handlers, with the members of njs's stream session.
import { currentSession } from '../../http/js/ngx.ts';
import { view } from '../../http/js/view.ts';
import { DECLINED, OK } from '../../http/request/codes.ts';
import { type Direction, STATUS, type StreamSession } from '../model.ts';

type Bytes = string | Uint8Array;
type Callback = (data: string | Buffer, flags: { last: boolean }) => unknown;
interface Listener {
  callback: Callback;
  /** receives bytes instead of text */
  binary: boolean;
}

const EVENTS: Record<string, { direction: Direction; binary: boolean }> = {
  upload: { direction: 'up', binary: false },
  download: { direction: 'down', binary: false },
  upstream: { direction: 'up', binary: true },
  downstream: { direction: 'down', binary: true },
};
/** Codes that `done` accepts, as in njs. */
const [MIN_CODE, MAX_CODE, NJS_DECLINED] = [-6, 503, -5];

const bytesOf = (data: Bytes): Buffer => (typeof data === 'string' ? Buffer.from(data) : Buffer.from(data));

export class JsSession {
  readonly #s: StreamSession;
  /** null if the handler does not decide about the session */
  readonly #onDecision: (() => void) | null;
  readonly #listeners: Partial<Record<Direction, Listener>> = {};
  #variables: Record<string, string> | null = null;
  #rawVariables: Record<string, Buffer> | null = null;
  /** receives the output of `send` while a listener runs */
  #output: Buffer[] | null = null;
  #running: Direction | null = null;
  #value: unknown;
  /** code for the phase, undefined until the handler has decided */
  decision: number | null = null;
  /** passes on what is sent outside a listener */
  onSend: ((direction: Direction, data: Buffer) => void) | null = null;

  constructor(s: StreamSession, onDecision?: () => void) {
    this.#s = s;
    this.#onDecision = onDecision ?? null;
  }

  // ---------------------------------------------------------------- for handlers

  get remoteAddress(): string {
    return this.#s.conn.remoteAddr;
  }
  get status(): number {
    return this.#s.status;
  }

  allow(): void {
    this.done(0);
  }
  decline(): void {
    this.done(NJS_DECLINED);
  }
  deny(): void {
    this.done(STATUS.forbidden);
  }
  done(code = 0): void {
    if (!this.#onDecision) throw new TypeError('the session is decided about in js_access and js_preread only');
    if (!Number.isInteger(code) || code < MIN_CODE || code > MAX_CODE) throw new RangeError('code is out of range');
    if (code === 0) this.decide(OK);
    else if (code === NJS_DECLINED) this.decide(DECLINED);
    else this.decide(code >= 200 ? code : STATUS.internalError);
  }

  on(event: string, callback: Callback): void {
    const known = Object.hasOwn(EVENTS, event) ? EVENTS[event] : null;
    if (!known) throw new TypeError(`unknown event "${event}"`);
    const { direction, binary } = known;
    if (this.#listeners[direction]) throw new TypeError(`event handler "${event}" is already set`);
    const other = this.#listeners[direction === 'up' ? 'down' : 'up'];
    if (other && other.binary !== binary) throw new TypeError('mixing string and buffer events is not allowed');
    this.#listeners[direction] = { callback, binary };
  }
  off(event: string): void {
    const known = Object.hasOwn(EVENTS, event) ? EVENTS[event] : null;
    if (!known) throw new TypeError(`unknown event "${event}"`);
    delete this.#listeners[known.direction];
  }

  /** Passes data on in the direction of the running listener. @param options  `from_upstream` sets another direction */
  send(data: Bytes, options: { from_upstream?: boolean } = {}): void {
    const named = options.from_upstream;
    const direction = named === undefined ? this.#running : named ? 'down' : 'up';
    if (direction === null) throw new TypeError('"from_upstream" flag is expected when called asynchronously');
    const bytes = bytesOf(data);
    if (bytes.length === 0 && !this.#s.udp) return;
    if (direction === this.#running && this.#output) this.#output.push(bytes);
    else if (this.onSend) this.onSend(direction, bytes);
    else throw new TypeError('data can be sent in js_filter only');
  }

  log(message: unknown): void {
    this.#s.log('info', `js: ${message}`);
  }
  warn(message: unknown): void {
    this.#s.log('warn', `js: ${message}`);
  }
  error(message: unknown): void {
    this.#s.log('error', `js: ${message}`);
  }

  /** Sets the value of the variable, instead of the result of the js_set function. */
  setReturnValue(value: unknown): void {
    this.#value = value;
  }
  get returnValue(): unknown {
    return this.#value;
  }

  /** Variables of the configuration; those of `set` and `js_var` are writable. */
  get variables(): Record<string, string> {
    return (this.#variables ??= view<string>(
      (name) => this.#read(name) ?? undefined,
      () => [],
      (name, value) => this.#assign(name, value ?? ''),
    ));
  }
  get rawVariables(): Record<string, Buffer> {
    return (this.#rawVariables ??= view<Buffer>(
      (name) => {
        const value = this.#read(name);
        return value === null ? undefined : Buffer.from(value, 'latin1');
      },
      () => [],
      (name, value) => this.#assign(name, value?.latin1Slice() ?? ''),
    ));
  }

  #read(name: string): string | null {
    const def = this.#s.stream.variables.find(name);
    return def ? (this.#s.variable(def) ?? null) : null;
  }

  #assign(name: string, value: string): void {
    const def = this.#s.stream.variables.assignable(name);
    if (!def) throw new TypeError(`variable "${name}" cannot be written`);
    this.#s.assign(def, String(value));
  }

  // ---------------------------------------------------------------- for the module

  wants(direction: Direction): boolean {
    return this.#listeners[direction] !== undefined;
  }

  /** Passes data to a listener. @returns its output, or the data itself if there is no listener */
  run(direction: Direction, data: Buffer, last: boolean): Buffer[] {
    const listener = this.#listeners[direction];
    if (!listener) return [data];
    const output: Buffer[] = [];
    this.#output = output;
    this.#running = direction;
    try {
      const shown = listener.binary ? Buffer.from(data) : data.toString('utf8');
      currentSession.run(this.#s, () => listener.callback(shown, { last }));
    } finally {
      this.#output = null;
      this.#running = null;
    }
    return output;
  }

  decide(code: number): void {
    if (this.decision !== null) return;
    this.decision = code;
    this.#onDecision?.();
  }

  /** Fails the session if an asynchronous handler has ended without deciding or listening. */
  failUndecided(): void {
    if (this.decision === null && !this.wants('up')) this.decide(STATUS.internalError);
  }
}
