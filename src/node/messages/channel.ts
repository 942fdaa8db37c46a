// Requests and notices over a MessagePort. Two parts of the node communicate in the same way whether they run in one thread or in two.
import type { MessagePort, TransferListItem } from 'node:worker_threads';
import { commitTurn } from '../../common/turns/turn.ts';
import { ApiError, type ApiErrorData } from '../../errors/api-error.ts';
import { toApiError } from '../../errors/error-body.ts';
import type { ReplyTo } from './messages.ts';

/** What all messages have in common. */
interface Message {
  readonly type: string;
}

type Envelope =
  | { readonly kind: 'request'; readonly id: number; readonly body: unknown }
  | { readonly kind: 'notice'; readonly body: unknown }
  | { readonly kind: 'reply'; readonly id: number; readonly result: unknown; readonly error: ApiErrorData | null };

/** Handles a request (its result is the reply) or a notice (its result is ignored). */
export type Handler<In> = (message: In) => unknown;

/** A result whose buffers are transferred to the other side instead of copied. */
export class Transferred {
  readonly value: unknown;
  readonly list: readonly TransferListItem[];
  constructor(value: unknown, list: readonly TransferListItem[]) {
    this.value = value;
    this.list = list;
  }
}

/** @typeParam Out  messages to the other side @typeParam In  messages from it */
export class Channel<Out extends Message, In> {
  readonly #port: MessagePort;
  readonly #handler: Handler<In>;
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #nextId = 0;
  #closed = false;

  constructor(port: MessagePort, handler: Handler<In>) {
    this.#port = port;
    this.#handler = handler;
    port.on('message', (envelope: Envelope) => this.#receive(envelope));
    port.on('close', () => this.#fail());
  }

  /** @throws ApiError the error that the other side threw; node_closed_exception if the other side has closed */
  request<Request extends Out>(message: Request, transfer: readonly TransferListItem[] = []): Promise<ReplyTo<Request>> {
    if (this.#closed) return Promise.reject(closedError());
    commitTurn();
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      // The cast is safe because both sides use the message types of messages.ts.
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#port.postMessage({ kind: 'request', id, body: message } satisfies Envelope, transfer);
    });
  }

  notify(message: Out, transfer: readonly TransferListItem[] = []): void {
    if (!this.#closed) this.#port.postMessage({ kind: 'notice', body: message } satisfies Envelope, transfer);
  }

  close(): void {
    this.#port.close();
  }

  #receive(envelope: Envelope): void {
    if (envelope.kind === 'reply') {
      const waiting = this.#waiting.get(envelope.id);
      this.#waiting.delete(envelope.id);
      if (envelope.error) waiting?.reject(ApiError.fromData(envelope.error));
      else waiting?.resolve(envelope.result);
      return;
    }
    if (envelope.kind === 'notice') {
      this.#handler(envelope.body as In);
      return;
    }
    this.#answer(envelope.id, envelope.body as In);
  }

  async #answer(id: number, message: In): Promise<void> {
    let result: unknown;
    try {
      result = await this.#handler(message);
    } catch (error) {
      this.#post({ kind: 'reply', id, result: null, error: errorData(error) });
      return;
    }
    if (result instanceof Transferred) this.#post({ kind: 'reply', id, result: result.value, error: null }, result.list);
    else this.#post({ kind: 'reply', id, result, error: null });
  }

  #post(envelope: Envelope, transfer: readonly TransferListItem[] = []): void {
    if (!this.#closed) this.#port.postMessage(envelope, transfer);
  }

  #fail(): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.values()) reject(closedError());
    this.#waiting.clear();
  }
}

/** An error as plain data. Errors other than ApiError keep their stack for the log; no answer contains it. */
export function errorData(error: unknown): ApiErrorData {
  if (error instanceof ApiError) return error.toData();
  const unexpected = toApiError(error);
  return { ...unexpected.toData(), stack: unexpected.stack };
}

function closedError(): ApiError {
  return new ApiError('node_closed_exception', 503, 'node is closing');
}
