// Signatures of requests between nodes: an HMAC, keyed with the cluster's secret, over all relevant parts, and a nonce that is accepted
// once.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Greatest accepted clock difference between two nodes, and age of a request. */
const MAX_AGE_MS = 120_000;
/** Number of nonces remembered, which is twice what a node can receive before they expire. */
const MAX_NONCES = 1_000_000;

export const SIGNATURE_HEADER = 'x-gannet-signature';

function hmac(secret: string, parts: readonly string[], body: Uint8Array): string {
  const made = createHmac('sha256', secret);
  for (const part of parts) made.update(`${part.length}:${part}`);
  return made.update(body).digest('base64url');
}

/** @returns the header of a request, and the nonce by which its reply is signed */
export function signRequest(secret: string, path: string, body: Uint8Array): { header: string; nonce: string } {
  const nonce = randomBytes(12).toString('base64url');
  const time = String(Date.now());
  return { header: `${time}.${nonce}.${hmac(secret, ['request', time, nonce, path], body)}`, nonce };
}

export function signReply(secret: string, nonce: string, status: number, body: Uint8Array): string {
  return hmac(secret, ['reply', nonce, String(status)], body);
}

export function isReplySigned(secret: string, nonce: string, status: number, body: Uint8Array, signature: string): boolean {
  return isEqual(signature, signReply(secret, nonce, status, body));
}

/** Checks requests, each of which is accepted once. */
export class RequestVerifier {
  readonly #secret: string;
  readonly #nowMs: () => number;
  /** Expiry time of each nonce, oldest first. */
  readonly #nonces = new Map<string, number>();

  constructor(secret: string, nowMs: () => number = Date.now) {
    this.#secret = secret;
    this.#nowMs = nowMs;
  }

  /** @returns the nonce of a correctly signed request; null if it is not signed, too old, or was seen before */
  verify(path: string, body: Uint8Array, header: string): string | null {
    const [time, nonce, signature] = header.split('.');
    if (signature === undefined || !/^\d{1,15}$/.test(time)) return null;
    const now = this.#nowMs();
    if (Math.abs(now - Number(time)) > MAX_AGE_MS || !isEqual(signature, hmac(this.#secret, ['request', time, nonce, path], body)))
      return null;
    for (const [old, untilMs] of this.#nonces) {
      if (untilMs > now && this.#nonces.size < MAX_NONCES) break;
      this.#nonces.delete(old);
    }
    if (this.#nonces.has(nonce)) return null;
    this.#nonces.set(nonce, now + 2 * MAX_AGE_MS);
    return nonce;
  }
}

function isEqual(given: string, expected: string): boolean {
  const bytes = Buffer.from(given);
  const wanted = Buffer.from(expected);
  return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
}
