// A client of the ACME protocol (RFC 8555): account, order, http-01 challenges, certificate.
import type { KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type FetchConf, fetchUnder } from '../js/fetch.ts';
import { isObject, type JsonObject } from '../jwt/key-set.ts';
import { signingRequest } from './der.ts';
import { externalBinding, signedRequest, thumbprint } from './keys.ts';

/** An `acme_issuer` of the configuration. */
export interface IssuerConf {
  readonly name: string;
  readonly directory: string;
  readonly contacts: readonly string[];
  readonly acceptsTerms: boolean;
  readonly externalKey: { readonly kid: string; readonly macKey: Buffer } | null;
  readonly profile: string;
  readonly preferredChain: string;
  readonly commonName: boolean;
}

/** Stores the responses to challenges for the server that checks them. */
export interface Challenges {
  put(token: string, authorization: string): void;
  drop(token: string): void;
}

class AcmeError extends Error {}

/** Polling interval for orders and challenges, unless the server specifies one. */
const POLL_MS = 1000;
const MAX_POLL_MS = 30_000;
const MAX_POLLS = 60;
const BAD_NONCE_RETRIES = 3;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const textAt = (object: JsonObject, name: string): string => (typeof object[name] === 'string' ? object[name] : '');
const textsAt = (object: JsonObject, name: string): string[] =>
  Array.isArray(object[name]) ? object[name].filter((item: unknown): item is string => typeof item === 'string') : [];

function objectOf({ text, status }: Pick<Answer, 'text' | 'status'>): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AcmeError(`the server responded with ${status} without JSON`);
  }
  if (!isObject(value)) throw new AcmeError('the server did not respond with a JSON object');
  return value;
}

function responseError(answer: Answer): AcmeError {
  let detail = '';
  try {
    const problem = objectOf(answer);
    detail = `: ${textAt(problem, 'type')} ${textAt(problem, 'detail')}`.slice(0, 512);
  } catch {
    // There is no problem document: only the status is reported.
  }
  return new AcmeError(`the server responded with ${answer.status}${detail}`);
}

export class AcmeClient {
  readonly #conf: IssuerConf;
  readonly #key: KeyObject;
  readonly #fetchConf: () => FetchConf;
  readonly #challenges: Challenges;
  #urls: JsonObject | null = null;
  #nonces: string[] = [];
  #account: string | null = null;

  constructor(conf: IssuerConf, key: KeyObject, fetchConf: () => FetchConf, challenges: Challenges) {
    this.#conf = conf;
    this.#key = key;
    this.#fetchConf = fetchConf;
    this.#challenges = challenges;
  }

  /** Orders a certificate. @returns its chain as PEM @throws AcmeError, Error of the network */
  async order(identifiers: readonly string[], key: KeyObject): Promise<string> {
    await this.#register();
    const wanted = identifiers.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }));
    const { profile } = this.#conf;
    const created = await this.#post(await this.#url('newOrder'), JSON.stringify({ identifiers: wanted, ...(profile && { profile }) }));
    const url = created.headers.get('location') ?? '';
    for (const authorization of textsAt(objectOf(created), 'authorizations')) await this.#authorize(authorization);
    const ready = await this.#until(url, ['ready', 'valid']);
    const csr = signingRequest(identifiers, key, this.#conf.commonName).toString('base64url');
    if (ready.status === 'ready') await this.#post(textAt(ready, 'finalize'), JSON.stringify({ csr }));
    const order = await this.#until(url, ['valid']);
    return this.#download(textAt(order, 'certificate'));
  }

  async #download(url: string): Promise<string> {
    const first = await this.#post(url, '');
    const { preferredChain } = this.#conf;
    if (preferredChain === '') return first.text;
    const { issuedBy } = await import('./chain.ts');
    if (issuedBy(first.text, preferredChain)) return first.text;
    for (const [, other] of (first.headers.get('link') ?? '').matchAll(/<([^<>]+)>;\s*rel="?alternate"?/g)) {
      const { text } = await this.#post(new URL(other, url).href, '');
      if (issuedBy(text, preferredChain)) return text;
    }
    return first.text;
  }

  async #register(): Promise<void> {
    if (this.#account !== null) return;
    const { contacts, acceptsTerms, externalKey } = this.#conf;
    const url = await this.#url('newAccount');
    const meta = isObject(this.#urls?.meta) ? (this.#urls?.meta as JsonObject) : {};
    if (textAt(meta, 'termsOfService') !== '' && !acceptsTerms) {
      throw new AcmeError(`"accept_terms_of_service" is needed: ${textAt(meta, 'termsOfService')}`);
    }
    const payload = {
      ...(acceptsTerms && { termsOfServiceAgreed: true }),
      ...(contacts.length > 0 && { contact: contacts }),
      ...(externalKey && { externalAccountBinding: externalBinding(this.#key, externalKey.kid, externalKey.macKey, url) }),
    };
    const { headers } = await this.#post(url, JSON.stringify(payload));
    this.#account = headers.get('location');
    if (this.#account === null) throw new AcmeError('the server returned no account URL');
  }

  async #authorize(url: string): Promise<void> {
    const authorization = objectOf(await this.#post(url, ''));
    if (authorization.status === 'valid') return;
    const offered = Array.isArray(authorization.challenges) ? authorization.challenges.filter(isObject) : [];
    const challenge = offered.find(({ type }) => type === 'http-01');
    if (!challenge) throw new AcmeError('the server offers no http-01 challenge');
    const token = textAt(challenge, 'token');
    if (!/^[A-Za-z0-9_-]{1,256}$/.test(token)) throw new AcmeError('the token of the challenge is malformed');
    this.#challenges.put(token, `${token}.${thumbprint(this.#key)}`);
    try {
      await this.#post(textAt(challenge, 'url'), '{}');
      await this.#until(url, ['valid']);
    } finally {
      this.#challenges.drop(token);
    }
  }

  /** Polls an object until it has one of the states. @throws AcmeError it is invalid, or takes too long */
  async #until(url: string, states: readonly string[]): Promise<JsonObject> {
    for (let poll = 0; poll < MAX_POLLS; poll++) {
      const answer = await this.#post(url, '');
      const object = objectOf(answer);
      const status = textAt(object, 'status');
      if (states.includes(status)) return object;
      if (status !== 'pending' && status !== 'processing' && status !== 'ready') {
        throw new AcmeError(`"${url}" became ${status}: ${JSON.stringify(object.error ?? object.challenges ?? '').slice(0, 1024)}`);
      }
      const after = Number(answer.headers.get('retry-after')) * 1000;
      await wait(Math.min(after > 0 ? after : POLL_MS, MAX_POLL_MS), undefined, { ref: false });
    }
    throw new AcmeError(`"${url}" is still not ${states.join(' or ')}`);
  }

  // ---------------------------------------------------------------- requests

  async #url(name: string): Promise<string> {
    this.#urls ??= objectOf(await this.#fetch(this.#conf.directory, 'GET', ''));
    const url = textAt(this.#urls, name);
    if (url === '') throw new AcmeError(`the directory has no "${name}"`);
    return url;
  }

  async #nonce(): Promise<string> {
    const known = this.#nonces.pop();
    if (known !== undefined) return known;
    const { headers } = await this.#fetch(await this.#url('newNonce'), 'HEAD', '');
    return headers.get('replay-nonce') ?? this.#nonces.pop() ?? '';
  }

  /** @param payload  JSON, '' for POST-as-GET @throws AcmeError the server refuses */
  async #post(url: string, payload: string): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#fetch(url, 'POST', signedRequest(this.#key, this.#account, url, await this.#nonce(), payload));
      const nonce = answer.headers.get('replay-nonce');
      if (nonce !== null) this.#nonces = [nonce];
      if (answer.status < 300) return answer;
      if (attempt >= BAD_NONCE_RETRIES || !answer.text.includes('urn:ietf:params:acme:error:badNonce')) throw responseError(answer);
    }
  }

  async #fetch(url: string, method: string, body: string): Promise<Answer> {
    const headers: Record<string, string> = body === '' ? {} : { 'content-type': 'application/jose+json' };
    headers['user-agent'] = 'gannet';
    const answer = await fetchUnder(this.#fetchConf(), url, { method, headers, body: body === '' ? undefined : body });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }
}
