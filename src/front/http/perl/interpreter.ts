// The Perl interpreter of an event loop, which runs in a thread of its own so that a script does not block the loop. Calls run one after
// the other. The value of a variable is needed at once: the loop waits for the result, and meanwhile answers the queries of that call. A
// call that takes longer than `timeoutMs`, or that ends the interpreter, fails; a new interpreter serves the next one.

import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { EngineOptions } from './engine.ts';
import { decodeFrame, encodeFrame, type Items } from './frame.ts';
import type { ThreadData, ThreadNote } from './interpreter-thread.ts';

export interface InterpreterOptions extends EngineOptions {
  /** folders of modules, files to load, handlers: sources of subs or names */
  modules: readonly string[];
  requires: readonly string[];
  handlers: readonly string[];
  timeoutMs: number;
}

/** Arguments of `run_call` after its id (nginx-package.ts). */
export type CallArguments = Items;

export interface CallHost {
  /** Performs collected operations in order. */
  perform(operations: readonly (readonly (string | null)[])[]): void;
  /** Answers a query. @throws Error with the message that the script dies with */
  ask(method: string, args: readonly (string | null)[]): Items;
}

/** `error`: what the script died with; `lost`: why there is no result. */
export type CallResult = { value: string } | { error: string } | { lost: string };

interface Call {
  id: string;
  args: CallArguments;
  host: CallHost;
  done: (result: CallResult) => void;
}

type Message = string | ThreadNote;

/** How long to wait after a failed start before the next attempt. */
const RETRY_MS = 1000;
const NEEDS_OTHER_PERL = /Can't locate (?:loadable object|\S+\.pm)|not implemented|Unsupported socket|POSIX|Socket/;

export class Interpreter {
  readonly #options: InterpreterOptions;
  readonly #log: (level: 'warn' | 'error' | 'alert', text: string) => void;
  #thread: Worker | null = null;
  #port: MessagePort | null = null;
  #signals = new Int32Array(new SharedArrayBuffer(8));
  #pid: number | null = null;
  #isReady = false;
  #retryMs = 0;
  /** the user that the interpreter runs as */
  #uid = process.getuid?.();
  readonly #queue: Call[] = [];
  /** call that the thread is running, null if it is idle */
  #running: Call | null = null;
  /** calls that the event loop waits for, the innermost last */
  readonly #nested: Call[] = [];
  #timer: NodeJS.Timeout | null = null;
  #count = 0;
  /** frames that belong to the call in `#running` and arrived while the loop waited for another one */
  readonly #deferred: Message[] = [];

  constructor(options: InterpreterOptions, log: (level: 'warn' | 'error' | 'alert', text: string) => void) {
    this.#options = options;
    this.#log = log;
  }

  /** Starts the interpreter and loads the handlers. @throws Error in nginx's words */
  start(): Promise<void> {
    const { modules, requires, handlers, engine, memoryBytes, env } = this.#options;
    const signals = new Int32Array(new SharedArrayBuffer(8));
    const { port1, port2 } = new MessageChannel();
    const own = fileURLToPath(import.meta.url);
    const thread = new Worker(own.replace(/interpreter(\.[jt]s)$/, 'interpreter-thread$1'), {
      name: 'perl',
      workerData: { port: port2, signals, options: { engine, memoryBytes, env } } satisfies ThreadData,
      transferList: [port2],
      stdout: false,
      stderr: false,
    });
    thread.unref();
    this.#thread = thread;
    this.#port = port1;
    this.#signals = signals;
    this.#uid = process.getuid?.();
    return new Promise((resolve, reject) => {
      let isStarted = false;
      const fail = (reason: string): void => {
        if (this.#thread !== thread) return;
        if (isStarted) this.#lose(reason);
        else {
          this.#end();
          reject(new Error(reason));
        }
      };
      thread.on('error', (error) => fail(error.message));
      thread.on('exit', (code) => fail(`the interpreter's thread ended with code ${code}`));
      port1.on('message', (message: Message) => {
        if (this.#thread !== thread) return;
        if (isStarted) this.#receive(message);
        else if (typeof message === 'string') {
          const [kind, ...rest] = decodeFrame(message);
          if (kind === 'failed') {
            fail(this.#explain(rest[0] ?? ''));
            return;
          }
          for (const warning of rest) this.#log('warn', warning ?? '');
          isStarted = true;
          this.#isReady = true;
          resolve();
          this.#next();
        } else if ('pid' in message) {
          this.#pid = message.pid;
          const counts = [modules, requires].map((list) => String(list.length));
          this.#send(encodeFrame(['init', ...counts, ...modules, ...requires, ...handlers]));
        } else if ('failed' in message) fail(message.failed);
        else this.#log(message.log, message.text);
      });
      port1.unref();
    });
  }

  /** Runs a handler once the preceding calls have ended. */
  call(args: CallArguments, host: CallHost, done: (result: CallResult) => void): void {
    this.#queue.push({ id: String(++this.#count), args, host, done });
    if (this.#thread) this.#next();
    else this.#restart();
  }

  /** Runs a handler and waits for its result. */
  callAndWait(args: CallArguments, host: CallHost): CallResult {
    if (!this.#isReady || !this.#port) return { lost: 'the interpreter is being started' };
    this.#adoptUser();
    let result: CallResult | null = null;
    const call: Call = { id: String(++this.#count), args, host, done: (own) => (result = own) };
    this.#nested.push(call);
    this.#send(encodeFrame(['call', call.id, ...args]));
    const deadline = performance.now() + this.#options.timeoutMs;
    while (!result) {
      const seen = Atomics.load(this.#signals, 0);
      const received = this.#port && (receiveMessageOnPort(this.#port) as { message: Message } | undefined);
      if (received) this.#receive(received.message);
      else {
        const leftMs = deadline - performance.now();
        if (leftMs <= 0 || !this.#port) this.#lose(`took longer than ${this.#options.timeoutMs} ms`);
        else Atomics.wait(this.#signals, 0, seen, leftMs);
      }
    }
    if (this.#nested.length === 0) this.#handleDeferred();
    return result;
  }

  /** Ends the thread; calls under way are dropped. */
  close(): void {
    this.#queue.length = 0;
    this.#end();
  }

  // ---------------------------------------------------------------- frames

  #send(frame: string): void {
    this.#port?.postMessage(frame);
    Atomics.add(this.#signals, 1, 1);
    Atomics.notify(this.#signals, 1);
  }

  #receive(message: Message): void {
    const waited = this.#nested.at(-1);
    if (typeof message !== 'string') {
      if ('failed' in message) this.#lose(message.failed);
      else if ('log' in message) this.#log(message.log, message.text);
      return;
    }
    const [kind, id, ...rest] = decodeFrame(message);
    // The response to a change of the user.
    if (kind === 'ready') return;
    if (kind === 'failed') {
      this.#lose(id ?? '');
      return;
    }
    const call = waited?.id === id ? waited : this.#running?.id === id ? this.#running : null;
    if (!call) return;
    if (waited && call !== waited) {
      this.#deferred.push(message);
      return;
    }
    if (kind === 'ask') this.#answer(call, rest);
    else this.#finish(call, rest);
  }

  #handleDeferred(): void {
    for (const message of this.#deferred.splice(0)) setImmediate(() => this.#receive(message));
  }

  #answer(call: Call, items: (string | null)[]): void {
    const count = Number(items[0]);
    const operations = items.slice(1, 1 + count).map((frame) => decodeFrame(frame ?? ''));
    const [method, ...args] = items.slice(1 + count);
    const port = this.#port;
    let answer: Items;
    try {
      call.host.perform(operations);
      answer = ['answer', null, ...call.host.ask(method ?? '', args)];
    } catch (error) {
      answer = ['answer', (error as Error).message];
    }
    // A new interpreter may be running by now: the variable that this call needed never arrived.
    if (port === this.#port) this.#send(encodeFrame(answer));
  }

  #finish(call: Call, [error, value, ...operations]: (string | null)[]): void {
    if (call === this.#running) {
      clearTimeout(this.#timer ?? undefined);
      this.#running = null;
    } else this.#nested.pop();
    let result: CallResult = error === null ? { value: value ?? '' } : { error: this.#explain(error) };
    try {
      call.host.perform(operations.map((frame) => decodeFrame(frame ?? '')));
    } catch (failure) {
      result = { error: (failure as Error).message };
    }
    call.done(result);
    this.#next();
  }

  #explain(message: string): string {
    if (this.#options.engine !== 'wasm' || !NEEDS_OTHER_PERL.test(message)) return message;
    return `${message} (the WebAssembly Perl has no sockets, no processes and no compiled modules but its own: "perl_engine" selects another perl)`;
  }

  // ---------------------------------------------------------------- one call after the other

  #next(): void {
    if (!this.#isReady || this.#running || this.#nested.length > 0) return;
    const call = this.#queue.shift();
    if (!call) return;
    this.#adoptUser();
    this.#running = call;
    this.#timer = setTimeout(() => this.#lose(`took longer than ${this.#options.timeoutMs} ms`), this.#options.timeoutMs);
    this.#timer.unref();
    this.#send(encodeFrame(['call', call.id, ...call.args]));
  }

  /** A perl process was started with the rights of the server before it changed its user. */
  #adoptUser(): void {
    const uid = process.getuid?.();
    if (this.#pid === null || uid === this.#uid || uid === undefined) return;
    this.#uid = uid;
    const groups = process.getgroups?.() ?? [];
    this.#send(encodeFrame(['user', ...[uid, process.getgid?.() ?? uid, ...groups].map(String)]));
  }

  // ---------------------------------------------------------------- ends

  #end(): void {
    const { port1, thread } = { port1: this.#port, thread: this.#thread };
    clearTimeout(this.#timer ?? undefined);
    this.#isReady = false;
    this.#thread = null;
    this.#port = null;
    this.#deferred.length = 0;
    port1?.close();
    if (this.#pid !== null) {
      try {
        process.kill(this.#pid, 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    }
    this.#pid = null;
    void thread?.terminate();
  }

  /** The interpreter is gone, and with it all calls that it was running. */
  #lose(reason: string): void {
    this.#end();
    const calls = [...this.#nested.splice(0), ...(this.#running ? [this.#running] : [])];
    this.#running = null;
    for (const call of calls) call.done({ lost: reason });
    this.#restart();
  }

  #restart(): void {
    if (performance.now() < this.#retryMs) {
      for (const call of this.#queue.splice(0)) call.done({ lost: 'the interpreter does not start' });
      return;
    }
    this.start().catch((error: Error) => {
      this.#log('alert', `perl: ${error.message}`);
      this.#retryMs = performance.now() + RETRY_MS;
      for (const call of this.#queue.splice(0)) call.done({ lost: error.message });
    });
  }
}
