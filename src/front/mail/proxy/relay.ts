// Passes bytes between a client that has logged in and its back end.
import type { Socket } from 'node:net';
import { setDeadline, type Timed, unwatch, watch } from '../../../http/wire/deadlines.ts';
import { systemError } from '../../system-error.ts';
import type { MailSession } from '../model.ts';
import { mailProxy } from './conf.ts';

export class Relay implements Timed {
  deadlineMs = Infinity;
  readonly #session: MailSession;
  readonly #backEnd: Socket;
  readonly #timeoutMs: number;
  readonly #done: () => void;
  #over = false;

  /** @param done  called when either side has closed; the client's side is left to the caller */
  constructor(session: MailSession, client: Socket, backEnd: Socket, done: () => void) {
    this.#session = session;
    this.#backEnd = backEnd;
    this.#done = done;
    this.#timeoutMs = mailProxy.conf(session.loc).proxy_timeout;
    watch(this);
    this.#pass(client, backEnd);
    this.#pass(backEnd, client);
    backEnd.on('error', this.#onBackEndError);
    backEnd.on('close', this.#onEnd);
    setDeadline(this, this.#timeoutMs);
    client.resume();
    backEnd.resume();
  }

  #pass(from: Socket, to: Socket): void {
    from.on('data', (data) => {
      if (this.#over) return;
      setDeadline(this, this.#timeoutMs);
      if (to.write(data)) return;
      from.pause();
      to.once('drain', () => {
        if (this.#over) return;
        setDeadline(this, this.#timeoutMs);
        from.resume();
      });
    });
    from.on('end', this.#onEnd);
  }

  readonly #onEnd = (): void => {
    if (this.#over) return;
    this.#session.note('info', 'proxied session done');
    this.#end();
  };

  readonly #onBackEndError = (error: Error): void => {
    if (this.#over) return;
    this.#session.log('error', `recv() failed (${systemError(error)})`);
    this.#end();
  };

  timedOut(): void {
    this.#session.log('info', `client timed out (${systemError('ETIMEDOUT')})`);
    this.#end();
  }

  #end(): void {
    this.cancel();
    this.#done();
  }

  /** Closes the back end's side, once everything is sent. */
  cancel(): void {
    if (this.#over) return;
    this.#over = true;
    unwatch(this);
    this.#backEnd.resume();
    this.#backEnd.destroySoon();
    setTimeout(() => this.#backEnd.destroy(), LINGER_MS).unref();
  }
}

/** Time after which a back end that does not read the remaining data is disconnected. */
const LINGER_MS = 5000;
