// Certificates that the first event loop orders and renews. A shared zone passes them, and the responses to challenges, to the other loops
// and to the workers after a reload; a folder preserves them across restarts.
import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FetchConf } from '../js/fetch.ts';
import type { SharedDict } from '../js/shared-dict.ts';
import { certificatesIn, renewalMs } from './chain.ts';
import { AcmeClient, type IssuerConf } from './client.ts';
import { generateKey, type KeyType } from './keys.ts';

/** A certificate of the configuration. */
export interface CertificateConf {
  readonly identifiers: readonly string[];
  readonly keyType: KeyType;
}

export type Log = (level: 'notice' | 'error', message: string) => void;

/** The server listens only after modules have started. */
const FIRST_ORDER_MS = 1000;
const RETRY_MS = 60_000;
const MAX_RETRY_MS = 3_600_000;
/** Interval between checks of certificates; short, so that clock changes do no harm. */
const CHECK_MS = 6 * 3_600_000;

const TOKEN = 'token:';

/** Response to a challenge, null if the token is unknown. */
export const challengeAnswer = (zone: SharedDict, token: string): string | null => textOf(zone.get(TOKEN + token));

const textOf = (value: string | number | undefined): string | null => (typeof value === 'string' ? value : null);

/** An issuer and the certificates that are ordered from it. */
export class Issuer {
  readonly conf: IssuerConf;
  readonly certificates: CertificateConf[] = [];
  readonly #accountKey: KeyType | KeyObject;
  readonly #statePath: string | null;
  readonly #fetchConf: () => FetchConf;
  readonly #zone: () => SharedDict;
  /** orders run one after another */
  #queue: Promise<void> = Promise.resolve();

  /** @param statePath  null to keep nothing on disk @param zone  known when the configuration has been read */
  constructor(
    conf: IssuerConf,
    accountKey: KeyType | KeyObject,
    statePath: string | null,
    fetchConf: () => FetchConf,
    zone: () => SharedDict,
  ) {
    this.conf = conf;
    this.#accountKey = accountKey;
    this.#statePath = statePath;
    this.#fetchConf = fetchConf;
    this.#zone = zone;
  }

  #id({ identifiers, keyType }: CertificateConf): string {
    const hash = createHash('sha256').update(JSON.stringify([this.conf.name, identifiers, keyType]));
    return `${identifiers[0].replaceAll(':', '_')}-${hash.digest('hex').slice(0, 12)}`;
  }

  /** Chain and key as PEM, null if there is none yet. */
  pem(certificate: CertificateConf, part: 'chain' | 'key'): string | null {
    return textOf(this.#zone().get(`${part}:${this.#id(certificate)}`));
  }

  /** Orders missing certificates and renews old ones for as long as the process runs. */
  start(log: Log): void {
    for (const certificate of this.certificates) {
      this.#load(certificate);
      this.#schedule(certificate, 0, FIRST_ORDER_MS, log);
    }
  }

  #schedule(certificate: CertificateConf, failures: number, atLeastMs: number, log: Log): void {
    const chain = this.pem(certificate, 'chain');
    const dueMs = chain === null ? 0 : renewalMs(chain) - Date.now();
    const timer = setTimeout(
      () => {
        if (dueMs > CHECK_MS) this.#schedule(certificate, 0, 0, log);
        else this.#queue = this.#queue.then(() => this.#order(certificate, failures, log));
      },
      Math.min(CHECK_MS, Math.max(atLeastMs, dueMs)),
    );
    timer.unref();
  }

  async #order(certificate: CertificateConf, failures: number, log: Log): Promise<void> {
    const names = certificate.identifiers.join(', ');
    try {
      const key = await generateKey(certificate.keyType);
      const zone = this.#zone();
      const challenges = {
        put: (token: string, authorization: string) => void zone.set(TOKEN + token, authorization),
        drop: (token: string) => void zone.delete(TOKEN + token),
      };
      const client = new AcmeClient(this.conf, await this.#account(), this.#fetchConf, challenges);
      const chain = await client.order(certificate.identifiers, key);
      if (!certificatesIn(chain)[0].checkPrivateKey(key)) throw new Error('the certificate is of another key');
      this.#store(certificate, chain, key);
      log('notice', `acme issuer "${this.conf.name}" issued a certificate for ${names}`);
      this.#schedule(certificate, 0, RETRY_MS, log);
    } catch (error) {
      log('error', `acme issuer "${this.conf.name}" issued no certificate for ${names}: ${(error as Error).message}`);
      this.#schedule(certificate, failures + 1, Math.min(RETRY_MS * 2 ** failures, MAX_RETRY_MS), log);
    }
  }

  // ---------------------------------------------------------------- state

  async #account(): Promise<KeyObject> {
    if (!('kind' in this.#accountKey)) return this.#accountKey;
    const name = `account:${this.conf.name}`;
    const known = textOf(this.#zone().get(name)) ?? this.#read('account.key');
    if (known !== null) return createPrivateKey(known);
    const key = await generateKey(this.#accountKey);
    const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString();
    this.#write('account.key', pem);
    this.#zone().set(name, pem);
    return key;
  }

  #store(certificate: CertificateConf, chain: string, key: KeyObject): void {
    const id = this.#id(certificate);
    const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString();
    this.#write(`${id}.key`, pem);
    this.#write(`${id}.crt`, chain);
    this.#zone().set(`key:${id}`, pem);
    this.#zone().set(`chain:${id}`, chain);
  }

  #load(certificate: CertificateConf): void {
    const id = this.#id(certificate);
    if (this.pem(certificate, 'chain') !== null) return;
    const chain = this.#read(`${id}.crt`);
    const key = this.#read(`${id}.key`);
    if (chain === null || key === null) return;
    try {
      // A crash between the two files leaves a key without its certificate.
      if (!new X509Certificate(chain).checkPrivateKey(createPrivateKey(key))) return;
    } catch {
      return;
    }
    this.#zone().set(`key:${id}`, key);
    this.#zone().set(`chain:${id}`, chain);
  }

  #read(name: string): string | null {
    if (this.#statePath === null) return null;
    try {
      return readFileSync(path.join(this.#statePath, name), 'utf8');
    } catch {
      return null;
    }
  }

  /** @throws Error the folder cannot be written to */
  #write(name: string, text: string): void {
    if (this.#statePath === null) return;
    mkdirSync(this.#statePath, { recursive: true, mode: 0o700 });
    const file = path.join(this.#statePath, name);
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
}
