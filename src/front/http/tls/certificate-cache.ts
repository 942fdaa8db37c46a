// `*_ssl_certificate_cache`: TLS contexts whose certificates are chosen by variables.
import type tls from 'node:tls';
import { parseTimeSec } from '../../config/values.ts';
import type { HttpFrame } from '../config/module.ts';

export interface CertificateCache {
  /** number of certificates and keys, 0: none are cached */
  max: number;
  validMs: number;
  inactiveMs: number;
}

/** Contexts of certificates chosen by variables; a context counts as a certificate and a key. */
export class ContextCache {
  readonly #entries = new Map<string, { context: tls.SecureContext; madeMs: number; usedMs: number }>();

  get(key: string, conf: CertificateCache): tls.SecureContext | null {
    const entry = this.#entries.get(key);
    const now = Date.now();
    if (!entry || now - entry.madeMs >= conf.validMs || now - entry.usedMs >= conf.inactiveMs) return null;
    entry.usedMs = now;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.context;
  }

  put(key: string, context: tls.SecureContext, conf: CertificateCache): void {
    if (conf.max === 0) return;
    this.#entries.delete(key);
    this.#entries.set(key, { context, madeMs: Date.now(), usedMs: Date.now() });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= Math.max(1, Math.floor(conf.max / 2))) break;
      this.#entries.delete(oldest);
    }
  }
}

/** `off` or `max=N [inactive=T] [valid=T]`. */
export function parseCertificateCache(f: HttpFrame): CertificateCache {
  if (f.args[0] === 'off') return { max: 0, validMs: 0, inactiveMs: 0 };
  let max = 0;
  let validMs = 60_000;
  let inactiveMs = 10_000;
  for (const word of f.args) {
    if (/^max=\d+$/.test(word)) max = Number(word.slice(4));
    else if (word.startsWith('valid=')) validMs = (parseTimeSec(word.slice(6)) ?? f.fail(`invalid parameter "${word}"`)) * 1000;
    else if (word.startsWith('inactive=')) inactiveMs = (parseTimeSec(word.slice(9)) ?? f.fail(`invalid parameter "${word}"`)) * 1000;
    else f.fail(`invalid parameter "${word}"`);
  }
  if (max === 0) f.fail(`"${f.node.name}" must have the "max" parameter`);
  return { max, validMs, inactiveMs };
}
