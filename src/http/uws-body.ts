// A request body over uWebSockets' onData (guard 8): chunks are copied, since the native buffer is gone after the callback.
import { FlowBody } from './flow-body.ts';
import type { RawResponse } from './uws-guards.ts';

export class UwsBody extends FlowBody {
  constructor(raw: RawResponse, length: number | null, limit: number) {
    super(length, limit, raw);
    if (!this.complete) raw.onData((chunk, isLast) => this.#onData(chunk, isLast));
  }

  #onData(chunk: ArrayBuffer, isLast: boolean): void {
    if (isLast) this.complete = true;
    if (chunk.byteLength > 0) {
      const copy = Buffer.allocUnsafe(chunk.byteLength);
      copy.set(new Uint8Array(chunk));
      this.push(copy);
    }
    if (isLast) this.finish();
  }
}
