// Use of a cache zone by one request: hit, miss, stale, lock, revalidation, background update, and storing the response.
// One class, since each step continues with the node, entry and file of the previous step.
import { closeSync } from 'node:fs';
import { nowSeconds } from '../../../../http/wire/clock.ts';
import { drain } from '../../../zone/bus.ts';
import type { Value } from '../../config/value.ts';
import { anySet } from '../../config/value.ts';
import { pumpFile } from '../../files/send-file.ts';
import type { Request } from '../../model/types.ts';
import { startClone } from '../../phases/subrequest.ts';
import { ERROR, OK } from '../../request/codes.ts';
import { parseHttpDate } from '../../request/http-date.ts';
import type { Failure, UpstreamHead } from '../protocol/protocol.ts';
import { acceptHead } from '../protocol/response-head.ts';
import type { CacheClient, CacheRequest } from './cache.ts';
import { type EntryHead, md5 } from './cache-entry.ts';
import { CacheFile } from './cache-file.ts';
import { freshnessOf, validAgain, validFor, validUntil, varyOf } from './cache-freshness.ts';
import type { CacheNode, OpenEntry } from './cache-node.ts';
import type { CacheRules } from './cache-rules.ts';
import type { CacheZone } from './cache-zone.ts';

export class FileCacheRequest implements CacheRequest {
  waiting = false;
  #node!: CacheNode;
  #entry: OpenEntry | null = null;
  /** this request fetches for the node; others wait */
  #updating = false;
  cacheable = true;
  #lockGivenUp = false;
  #counted = false;
  /** number of requests for the node, this one included */
  #uses = 0;
  /** the response being stored */
  #file: CacheFile | null = null;
  #miss: () => void = () => {};
  key = '';

  readonly #zone: CacheZone;
  readonly #makeKey: () => string;
  readonly #purge: Value[] | null;

  readonly #r: Request;
  readonly #conf: CacheRules;

  constructor(
    r: Request,
    zone: CacheZone,
    /** makes the key, which may depend on the request body: called after that was read */
    makeKey: () => string,
    conf: CacheRules,
    purge: Value[] | null,
  ) {
    this.#r = r;
    this.#conf = conf;
    this.#zone = zone;
    this.#makeKey = makeKey;
    this.#purge = purge;
  }

  // ---------------------------------------------------------------- lookup

  open(u: CacheClient, miss: () => void): void {
    const r = this.#r;
    const conf = this.#conf;
    this.#miss = miss;
    this.key = this.#makeKey();
    drain();
    if (anySet(r, this.#purge)) {
      const count = this.#zone.purge({ key: this.key });
      r.out.status = count > 0 ? 204 : 404;
      u.finish(count > 0 ? 204 : 404);
      return;
    }
    this.#node = this.#findNode();
    if (anySet(r, conf.bypass)) {
      u.cacheStatus = 'BYPASS';
      this.#checkRange();
      miss();
      return;
    }
    u.cacheStatus = 'MISS';
    this.#lookup(u);
  }

  /** The node of the key, or of the key with the request's values of the fields in `Vary`. */
  #findNode(): CacheNode {
    const main = this.#zone.nodeOf(this.key);
    if (!main.vary) return main;
    return this.#zone.node(md5(`${this.key}\0${variantOf(this.#r, main.vary)}`), this.key);
  }

  #lookup(u: CacheClient): void {
    const conf = this.#conf;
    const node = this.#node;
    if (!this.#counted) {
      this.#counted = true;
      this.#uses = this.#zone.use(node);
      node.count++;
      this.#r.cleanups.push(() => node.count--);
    }
    if (takeOver.has(this.#r)) this.#updating = true;
    if (node.error && node.validUntil >= nowSeconds()) {
      u.cacheStatus = 'HIT';
      u.finish(node.error);
      return;
    }
    const entry = node.exists ? this.#zone.open(node) : null;
    if (!entry) {
      this.#absent(u);
      return;
    }
    if (entry.fd !== undefined) {
      const { fd } = entry;
      this.#r.whenSent(() => closeSync(fd));
    }
    this.#entry = entry;
    const { head } = entry;
    if (head.validUntil >= nowSeconds() && (head.validUntil > nowSeconds() || head.date !== head.validUntil)) {
      this.#zone.countHit();
      u.cacheStatus = 'HIT';
      this.#send(u, entry);
      return;
    }
    const staleUpdating = conf.useStale.has('updating') || head.validUntil + head.staleUpdating >= nowSeconds();
    if (!this.#updating && !this.#zone.tryLock(node, Math.max(conf.lockAgeMs, UPDATE_MS))) {
      if (staleUpdating) {
        u.cacheStatus = 'UPDATING';
        this.#send(u, entry);
        return;
      }
    } else {
      if (!this.#updating && this.#changed(u)) return;
      this.#updating = true;
      if (staleUpdating && conf.backgroundUpdate && !this.#r.background) {
        u.cacheStatus = 'STALE';
        this.#updateInBackground();
        this.#send(u, entry);
        return;
      }
    }
    u.cacheStatus = 'EXPIRED';
    this.#prepareRevalidation(u);
    this.#checkRange();
    this.#miss();
  }

  #absent(u: CacheClient): void {
    const conf = this.#conf;
    const node = this.#node;
    this.#zone.countMiss();
    if (this.#uses < conf.minUses) {
      this.cacheable = false;
      this.#miss();
      return;
    }
    if (conf.lock && !this.#lockGivenUp) {
      if (this.#zone.tryLock(node, conf.lockAgeMs)) {
        if (this.#changed(u)) return;
        this.#updating = true;
      } else if (conf.lockTimeoutMs === 0) {
        this.cacheable = false;
      } else {
        this.#wait(u);
        return;
      }
    } else if (this.#lockGivenUp) this.cacheable = false;
    this.#checkRange();
    this.#miss();
  }

  /**
   * Another event loop may have stored the response and released the lock after this request read the news and before it took the lock.
   * Reads the news again; if they concern the node, gives the lock back and looks the node up again.
   * @returns whether it did
   */
  #changed(u: CacheClient): boolean {
    const node = this.#node;
    const { exists, error, validUntil } = node;
    drain();
    this.#node = this.#findNode();
    if (this.#node === node && node.exists === exists && node.error === error && node.validUntil === validUntil) return false;
    this.#zone.release(node);
    this.#lookup(u);
    return true;
  }

  #deadline = 0;

  /** Another request fetches the same: waits for it, for its lock to expire, or for the timeout. */
  #wait(u: CacheClient): void {
    const conf = this.#conf;
    const node = this.#node;
    const r = this.#r;
    this.#deadline ||= Date.now() + conf.lockTimeoutMs;
    this.waiting = true;
    let done = false;
    const wake = () => {
      if (done) return;
      done = true;
      clearTimeout(timer);
      this.waiting = false;
      if (r.done) return;
      if (Date.now() >= this.#deadline) this.#lockGivenUp = true;
      this.#node = this.#findNode();
      this.#lookup(u);
    };
    const until = Math.min(this.#deadline, this.#zone.lockedUntil(node) + 1);
    const timer = setTimeout(wake, Math.max(1, until - Date.now()));
    node.waiters.push(wake);
  }

  #updateInBackground(): void {
    const r = this.#r;
    const updating = this.#updating;
    const node = this.#node;
    this.#updating = false;
    const sub = startClone(r, { background: true });
    if (!sub) {
      if (updating) this.#zone.release(node);
      return;
    }
    // the background request inherits the lock
    sub.headerOnly = true;
    sub.vars = new Array(r.http.variables.count);
    takeOver.add(sub);
  }

  #prepareRevalidation(u: CacheClient): void {
    if (!this.#conf.revalidate || !this.#entry) return;
    const { fields, status } = this.#entry.head;
    if (status !== 200 && status !== 206) return;
    const value = (lname: string) => fields.find((f) => f.lname === lname)?.value;
    let text = '';
    const modified = value('last-modified');
    const etag = value('etag');
    if (modified !== undefined && parseHttpDate(modified) >= 0) text += `If-Modified-Since: ${modified}\r\n`;
    if (etag !== undefined) text += `If-None-Match: ${etag}\r\n`;
    u.conditional = text;
  }

  /** A request is passed on and not cached if one of its ranges starts at or after the limit, or counts from the end. */
  #checkRange(): void {
    const { maxRangeOffset } = this.#conf;
    const range = this.#r.headerIn('range');
    if (maxRangeOffset < 0 || range === null || !/^bytes=/i.test(range)) return;
    const starts = [...range.slice(6).matchAll(/(?:^|,)\s*(\d*)\s*-/g)].map((m) => m[1]);
    if (starts.some((start) => start === '' || Number(start) >= maxRangeOffset)) this.cacheable = false;
  }

  // ---------------------------------------------------------------- sending an entry

  #send(u: CacheClient, { head, body, fd, start }: OpenEntry): void {
    const r = this.#r;
    const stored: UpstreamHead = {
      status: head.status,
      statusLine: head.statusLine,
      fields: head.fields,
      contentLength: head.unsized ? -1 : (head.declared ?? head.length),
    };
    u.head = stored;
    const rc = acceptHead(u, stored, true);
    if (rc !== OK) {
      if (rc > 0) u.finish(rc);
      return;
    }
    r.out.contentLength = stored.contentLength;
    u.headerDone = true;
    const sent = r.sendHeader();
    if (sent !== OK) {
      u.headerDone = false;
      u.finish(sent);
      return;
    }
    u.served();
    if (r.headerOnly && !r.inMemory) {
      r.finalize(OK);
      return;
    }
    if (body) r.finalize(r.output(body.length > 0 ? [body] : [], true));
    else if (fd === undefined) r.finalize(ERROR);
    else if (r.needInMemory) r.finalize(pumpFile(r, fd, start, start + head.length));
    else r.finalize(r.output([{ fd, start, end: start + head.length }], true));
  }

  useStale(u: CacheClient, failure: Failure): boolean {
    if (u.cacheStatus !== 'EXPIRED' || !this.#entry) return false;
    const { head } = this.#entry;
    // `stale-if-error` covers only peers that do not respond, cache_use_stale also statuses
    const mayHeader = !failure.startsWith('http_') && head.validUntil + head.staleError >= nowSeconds();
    if (!this.#conf.useStale.has(failure) && !mayHeader) return false;
    this.#unlock();
    u.cacheStatus = 'STALE';
    this.#send(u, this.#entry);
    return true;
  }

  revalidated(u: CacheClient, head: UpstreamHead): boolean {
    if (head.status !== 304 || u.cacheStatus !== 'EXPIRED' || !this.#conf.revalidate || !this.#entry) return false;
    u.cacheStatus = 'REVALIDATED';
    const stored = this.#entry.head;
    const { ignoreHeaders } = u.conf;
    const { until, by } = validAgain(freshnessOf(head, ignoreHeaders), freshnessOf(stored, ignoreHeaders), this.#conf, stored.status);
    if (until > 0) {
      const updated: EntryHead = {
        ...stored,
        validUntil: until,
        date: nowSeconds(),
        staleUpdating: by.staleUpdating,
        staleError: by.staleError,
      };
      this.#entry = { ...this.#entry, head: updated };
      this.#updating = false;
      this.#zone.refresh(this.#node, updated);
    } else this.#unlock();
    u.letGo();
    this.#send(u, this.#entry);
    return true;
  }

  // ---------------------------------------------------------------- storing

  /** Decides about storing once the header is accepted. */
  prepare(u: CacheClient, head: UpstreamHead): void {
    const r = this.#r;
    const conf = this.#conf;
    u.cacheable = false;
    if (!this.cacheable) return;
    const fresh = freshnessOf(head, u.conf.ignoreHeaders);
    u.mayCache = !fresh.forbidden;
    // unbuffered responses are not cached
    if (!u.buffering || anySet(r, conf.noCache)) return;
    const until = validUntil(fresh, conf, head.status);
    if (until === 0) return;
    const vary = varyOf(head, u.conf.ignoreHeaders);
    this.#storeUnder(vary);
    const tags = head.fields.filter((f) => f.lname === 'cache-tag' || f.lname === 'surrogate-key').flatMap((f) => f.value.split(/[\s,]+/));
    const stored: EntryHead = {
      ...{ key: this.key, status: head.status, statusLine: head.statusLine, validUntil: until, date: nowSeconds(), length: 0, vary },
      ...{ staleUpdating: fresh.staleUpdating, staleError: fresh.staleError, variant: vary ? variantOf(this.#r, vary) : '', tags },
      unsized: head.contentLength < 0,
      ...(r.method === 'HEAD' && !conf.convertHead ? { declared: head.contentLength } : {}),
      fields: head.fields.filter((f) => f.lname !== 'content-length' && f.lname !== 'transfer-encoding' && f.lname !== 'connection'),
    };
    try {
      const folder = this.#zone.options.ownTemp ? { path: this.#zone.options.path, levels: [] } : u.conf.tempPath;
      this.#file = new CacheFile(folder, stored);
      u.cacheable = true;
    } catch (error) {
      r.log('crit', `open() temporary file failed: ${(error as Error).message}`);
    }
  }

  /** A response with `Vary` is stored under a hash of its own; the main node remembers which fields matter. */
  #storeUnder(vary: string): void {
    const main = this.#zone.nodeOf(this.key);
    if (!vary) {
      main.vary = '';
      this.#switchNode(main);
      return;
    }
    main.vary = vary;
    this.#switchNode(this.#zone.node(md5(`${this.key}\0${variantOf(this.#r, vary)}`), this.key));
  }

  #switchNode(node: CacheNode): void {
    if (node === this.#node) return;
    if (this.#updating) {
      const before = this.#node;
      this.#heldBefore = before;
    }
    this.#node = node;
  }

  #heldBefore: CacheNode | null = null;

  write(data: Buffer): void {
    this.#file?.write(data);
  }

  complete(u: CacheClient): void {
    const file = this.#file;
    this.#file = null;
    if (file) {
      try {
        this.#updating = false;
        file.commit(this.#zone, this.#node);
      } catch (error) {
        u.r.log('crit', `storing a cache file failed: ${(error as Error).message}`);
      }
      if (this.#heldBefore) this.#zone.release(this.#heldBefore);
      this.#heldBefore = null;
      return;
    }
    this.#unlock();
  }

  intercepted(u: CacheClient, head: UpstreamHead): void {
    if (!this.cacheable || anySet(this.#r, this.#conf.noCache)) return;
    const until = validUntil(freshnessOf(head, u.conf.ignoreHeaders), this.#conf, head.status);
    if (until === 0) return;
    this.#storeUnder('');
    this.#zone.keepStatus(this.#node, head.status, until);
    this.#unlock();
  }

  abandon(status?: number): void {
    this.#file?.discard();
    this.#file = null;
    if ((status === 502 || status === 504) && this.cacheable && this.#node) {
      const seconds = validFor(this.#conf, status);
      if (seconds) this.#zone.keepStatus(this.#node, status, nowSeconds() + seconds);
    }
    this.#unlock();
  }

  #unlock(): void {
    if (this.#heldBefore) this.#zone.release(this.#heldBefore);
    this.#heldBefore = null;
    if (!this.#updating) return;
    this.#updating = false;
    this.#zone.release(this.#node);
  }

  keepsGoing(u: CacheClient): boolean {
    return !u.headerDone && this.cacheable && this.#updating && this.#r.background;
  }
}

/** time after which a fetch that renews an entry is considered failed */
const UPDATE_MS = 5000;

/** background requests that fetch for a node locked on their behalf */
const takeOver = new WeakSet<Request>();

/** Request fields whose members may come in any order (RFC 9110, 12.5.2 and 12.5.3); of languages the first may be preferred. */
const UNORDERED: ReadonlySet<string> = new Set(['accept-charset', 'accept-encoding']);

/** The request's values of the fields in `Vary`, which distinguish the responses under one key. */
function variantOf(r: Request, vary: string): string {
  const names = vary
    .toLowerCase()
    .split(',')
    .map((n) => n.trim())
    .filter(Boolean);
  return names
    .map((name) => {
      const members = (r.headersJoined(name, ',') ?? '')
        .split(',')
        .map((v) => v.trim())
        .filter(Boolean);
      if (UNORDERED.has(name)) members.sort();
      return `${name}:${members.join(',')}`;
    })
    .join('\n');
}
