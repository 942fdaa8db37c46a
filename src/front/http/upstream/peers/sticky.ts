// `sticky cookie|route|learn`: later requests of a client go to the same peer.
import { crc32Latin1 } from '../../../../common/encoding/crc32.ts';
import { parseSize, parseTimeMs, parseTimeSec } from '../../../config/values.ts';
import { SharedTable } from '../../../zone/table.ts';
import type { HttpFrame } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import type { Request } from '../../model/types.ts';
import { findCookie } from '../../request/cookies.ts';
import { httpDate } from '../../request/http-date.ts';
import type { Peer } from './peer.ts';

export interface Sticky {
  /** identifies the peers that this request belongs to; null: none */
  matcher(r: Request): ((peer: Peer) => boolean) | null;
  onHeader?(r: Request, peer: Peer): void;
  onDone?(r: Request, peer: Peer): void;
  exportState?(): unknown;
  importState?(state: unknown): void;
}

export function parseSticky(f: HttpFrame): Sticky {
  const [kind, ...words] = f.args;
  if (kind === 'cookie') return parseCookie(f, words);
  if (kind === 'route') {
    const values = words.map((word) => f.scope.value(word));
    return {
      matcher(r) {
        const id = firstOf(values, r);
        return id === '' ? null : (peer) => peer.options.route === id;
      },
    };
  }
  if (kind === 'learn') return parseLearn(f, words);
  return f.fail(`unknown parameter "${kind}"`);
}

/** the first non-empty value, '' if all are empty */
function firstOf(values: Value[], r: Request): string {
  for (const value of values) {
    const text = value.eval(r);
    if (text !== '') return text;
  }
  return '';
}

const MAX_EXPIRES = { text: 'Thu, 31-Dec-37 23:55:55 GMT', seconds: 315_360_000 };

function parseCookie(f: HttpFrame, words: string[]): Sticky {
  const [name, ...attributes] = words;
  if (!name) f.fail('"sticky cookie" requires a name');
  let expires: number | 'max' | null = null;
  let domain: Value | null = null;
  let path: Value | null = null;
  let sameSite: Value | null = null;
  let flags = '';
  for (const word of attributes) {
    if (word.startsWith('expires=')) {
      const text = word.slice(8);
      expires = text === 'max' ? 'max' : (parseTimeSec(text) ?? f.fail(`invalid "expires" parameter "${text}"`));
    } else if (word.startsWith('domain=')) domain = f.scope.value(word.slice(7));
    else if (word.startsWith('path=')) path = f.scope.value(word.slice(5));
    else if (word.startsWith('samesite=')) {
      sameSite = f.scope.value(word.slice(9));
      if (sameSite.constant !== null && !/^(strict|lax|none)$/i.test(sameSite.constant))
        f.fail(`invalid samesite value "${sameSite.constant}"`);
    } else if (word === 'secure') flags += '; secure';
    else if (word === 'httponly') flags += '; httponly';
    else f.fail(`unknown parameter "${word}"`);
  }
  return {
    matcher(r) {
      const id = findCookie(r.headersIn, name);
      return id === null ? null : (peer) => peer.stickyId === id;
    },
    onHeader(r, peer) {
      let text = `${name}=${peer.stickyId}`;
      if (expires !== null) {
        const at =
          expires === 'max' ? MAX_EXPIRES.text : httpDate(Date.now() / 1000 + expires).replace(/(\d\d) (\w{3}) \d\d(\d\d)/, '$1-$2-$3');
        text += `; expires=${at}; max-age=${expires === 'max' ? MAX_EXPIRES.seconds : expires}`;
      }
      const domainText = domain?.eval(r);
      if (domainText) text += `; domain=${domainText}`;
      const pathText = path?.eval(r);
      if (pathText) text += `; path=${pathText}`;
      const site = sameSite?.eval(r).toLowerCase();
      if (site) text += `; samesite=${/^(strict|lax|none)$/.test(site) ? site : 'strict'}`;
      r.out.add('Set-Cookie', text + flags);
    },
  };
}

/** size of a session in a zone, as in nginx on 64-bit machines */
const SESSION_BYTES = 128;
/** record: name of the peer (hash), end of the session (ms) */
const [PEER, UNTIL, SESSION_FIELDS] = [0, 1, 2];

class Learned implements Sticky {
  readonly #sessions: SharedTable;

  readonly #create: Value[];
  readonly #lookup: Value[];
  readonly #timeoutMs: number;
  readonly #atHeader: boolean;

  constructor(zone: string, bytes: number, create: Value[], lookup: Value[], timeoutMs: number, atHeader: boolean) {
    this.#create = create;
    this.#lookup = lookup;
    this.#timeoutMs = timeoutMs;
    this.#atHeader = atHeader;
    this.#sessions = new SharedTable(`sticky:${zone}`, Math.max(1, Math.floor(bytes / SESSION_BYTES)), SESSION_FIELDS);
  }

  matcher(r: Request): ((peer: Peer) => boolean) | null {
    const id = firstOf(this.#lookup, r);
    const wanted = id === '' ? null : this.#sessions.locked(() => this.#peerOf(id));
    return wanted === null ? null : (peer) => crc32Latin1(peer.name) === wanted;
  }

  /** Hash of the peer of a session, unless it has expired. */
  #peerOf(id: string): number | null {
    const sessions = this.#sessions;
    const record = sessions.find(id);
    if (record < 0) return null;
    const at = record * SESSION_FIELDS;
    if (sessions.data[at + UNTIL] >= Date.now()) return sessions.data[at + PEER] ?? null;
    sessions.remove(record);
    return null;
  }

  /** Learns a session that the peer starts, or prolongs the one that the request belongs to. */
  #learn(r: Request, peer: Peer): void {
    const sessions = this.#sessions;
    const created = firstOf(this.#create, r);
    const id = created || firstOf(this.#lookup, r);
    if (id === '') return;
    const hash = crc32Latin1(peer.name);
    sessions.locked(() => {
      if (!created && this.#peerOf(id) !== hash) return;
      const at = sessions.take(id) * SESSION_FIELDS;
      sessions.data[at + PEER] = hash;
      sessions.data[at + UNTIL] = Date.now() + this.#timeoutMs;
    });
  }

  onHeader(r: Request, peer: Peer): void {
    if (this.#atHeader) this.#learn(r, peer);
  }

  onDone(r: Request, peer: Peer): void {
    if (!this.#atHeader) this.#learn(r, peer);
  }

  exportState(): unknown {
    return this.#sessions.exportState();
  }

  importState(state: unknown): void {
    this.#sessions.importState(state);
  }
}

function parseLearn(f: HttpFrame, words: string[]): Sticky {
  const create: Value[] = [];
  const lookup: Value[] = [];
  let timeoutMs = 600_000;
  let header = false;
  let zone: { name: string; bytes: number } | null = null;
  for (const word of words) {
    if (word.startsWith('create=')) create.push(f.scope.value(word.slice(7)));
    else if (word.startsWith('lookup=')) lookup.push(f.scope.value(word.slice(7)));
    else if (word.startsWith('timeout=')) timeoutMs = parseTimeMs(word.slice(8)) ?? f.fail(`invalid parameter "${word}"`);
    else if (word.startsWith('zone=')) {
      const [name, size] = word.slice(5).split(':');
      zone = { name, bytes: parseSize(size ?? '') || f.fail(`invalid zone size "${size ?? ''}"`) };
    } else if (word === 'header') header = true;
    else f.fail(`unknown parameter "${word}"`);
  }
  if (create.length === 0 || lookup.length === 0 || !zone)
    return f.fail('"sticky learn" requires "zone", "create" and "lookup" parameters');
  return new Learned(zone.name, zone.bytes, create, lookup, timeoutMs, header);
}
