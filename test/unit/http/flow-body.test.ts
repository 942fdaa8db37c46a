// Bodies that are read as a whole: many chunks, in one buffer if the body is large.
import { expect, test } from 'vitest';
import { FlowBody } from '../../../src/http/flow-body.ts';
import { BodyAborted, BodyTooLarge } from '../../../src/http/listener.ts';

const FLOW = { pause: () => undefined, resume: () => undefined };
const LIMIT = 8 << 20;
const CHUNK = 64 << 10;

function bytesOf(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, i) => (i * 31) & 0xff));
}

/** Sends `bytes`, of which the first chunks arrive before anybody reads. */
function send(body: FlowBody, bytes: Buffer, early: number, limit = LIMIT): Promise<Buffer> {
  const chunks = Array.from({ length: Math.ceil(bytes.length / CHUNK) }, (_, i) => bytes.subarray(i * CHUNK, (i + 1) * CHUNK));
  for (const chunk of chunks.slice(0, early)) body.push(Buffer.from(chunk));
  const read = body.bytes(limit);
  for (const chunk of chunks.slice(early)) body.push(Buffer.from(chunk));
  body.finish();
  return read;
}

test.each([0, 1, 3])('the bytes of small and large bodies arrive in order, %i chunks before they are read', async (early) => {
  for (const length of [0, 1, CHUNK, CHUNK + 1, 1 << 20, (1 << 20) + 1, 3 * CHUNK * 16 + 17]) {
    const bytes = bytesOf(length);
    expect((await send(new FlowBody(length, LIMIT, FLOW), bytes, early)).equals(bytes), `${length} bytes`).toBe(true);
    expect((await send(new FlowBody(null, LIMIT, FLOW), bytes, early)).equals(bytes), `${length} bytes, length unknown`).toBe(true);
  }
});

test('a large body is refused by its length, and one that ends early fails', async () => {
  await expect(new FlowBody(LIMIT + 1, LIMIT, FLOW).bytes(LIMIT)).rejects.toThrow(BodyTooLarge);
  const body = new FlowBody(2 << 20, LIMIT, FLOW);
  const read = body.bytes(LIMIT);
  body.push(bytesOf(CHUNK));
  body.abort();
  await expect(read).rejects.toThrow(BodyAborted);
});
