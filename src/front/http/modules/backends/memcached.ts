// memcached_pass.
import { HSL, num, type Table } from '../../../config/directive.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import type { HttpModule, Request } from '../../model/types.ts';
import { DONE } from '../../request/codes.ts';
import { escapeUri } from '../../request/parse.ts';
import { sharedTable } from '../../upstream/conf.ts';
import type { UpstreamTarget } from '../../upstream/protocol/protocol.ts';
import { InvalidResponse, type ParserSink, type ResponseParser } from '../../upstream/protocol/protocol.ts';
import { Upstream } from '../../upstream/upstream.ts';
import { confOf, passDirective, protocolFor, remember, resolveGroup } from './gateway.ts';

/** Reads `VALUE key flags length`, the data and `END`. */
export class MemcachedParser implements ResponseParser {
  #held: Buffer = Buffer.alloc(0);
  #left = -1;
  readonly #tail = Buffer.from('\r\nEND\r\n');

  readonly #sink: ParserSink;
  readonly #key: string;
  readonly #gzipFlag: number;
  readonly #notFound: () => void;

  constructor(sink: ParserSink, key: string, gzipFlag: number, notFound: () => void) {
    this.#sink = sink;
    this.#key = key;
    this.#gzipFlag = gzipFlag;
    this.#notFound = notFound;
  }

  feed(data: Buffer): void {
    this.#held = this.#held.length === 0 ? data : Buffer.concat([this.#held, data]);
    if (this.#left < 0 && !this.#readHead()) return;
    if (this.#left > 0) {
      const take = this.#held.subarray(0, this.#left);
      this.#held = this.#held.subarray(take.length);
      this.#left -= take.length;
      if (take.length > 0) this.#sink.body(take);
    }
    if (this.#left > 0) return;
    const common = Math.min(this.#held.length, this.#tail.length);
    if (!this.#held.subarray(0, common).equals(this.#tail.subarray(0, common))) {
      this.#sink.complete(false);
    } else if (this.#held.length >= this.#tail.length) this.#sink.complete(this.#held.length === this.#tail.length);
  }

  #readHead(): boolean {
    const lf = this.#held.indexOf(10);
    if (lf < 0) {
      if (this.#held.length > 4096) throw new InvalidResponse('memcached sent too long line');
      return false;
    }
    const line = this.#held.latin1Slice(0, lf).replace(/\r$/, '');
    const rest = this.#held.subarray(lf + 1);
    if (line === 'END') {
      this.#notFound();
      this.#left = 0;
      this.#held = Buffer.concat([this.#tail, rest]);
      this.#sink.head({ status: 404, statusLine: '', fields: [], contentLength: -1, missing: rest.length === 0 ? 'whole' : 'followed' });
      return false;
    }
    const m = /^VALUE (\S+) (\d+) (\d+)$/.exec(line);
    if (!m) throw new InvalidResponse(`memcached sent invalid response: "${line}"`);
    if (m[1] !== this.#key) throw new InvalidResponse(`memcached sent invalid key in response "${line}" for key "${this.#key}"`);
    this.#left = Number(m[3]);
    this.#held = rest;
    const gzip = this.#gzipFlag > 0 && (Number(m[2]) & this.#gzipFlag) !== 0;
    const fields = gzip ? [{ name: 'Content-Encoding', lname: 'content-encoding', value: 'gzip' }] : [];
    this.#sink.head({ status: 200, statusLine: '', fields, contentLength: this.#left });
    return true;
  }

  end(): boolean {
    return false;
  }
}

interface MemcachedTarget extends UpstreamTarget {
  readonly key: string;
}

const protocolOf = protocolFor<MemcachedTarget>((conf) => ({
  name: 'memcached',
  keepsAlive: true,
  requestHead: ({ target }) => [Buffer.from(`get ${target.key}\r\n`, 'latin1')],
  wrapBody: () => [],
  endBody: () => [],
  parser: ({ r, target }, sink) =>
    new MemcachedParser(sink, target.key, (conf.values.memcached_gzip_flag as number | undefined) ?? 0, () =>
      r.log('info', `key: "${target.key}" was not found by memcached`),
    ),
}));

const memcachedHandler = (r: Request): number => {
  if (r.method !== 'GET' && r.method !== 'HEAD') return 405;
  const def = r.http.variables.find('memcached_key');
  const key = def ? (r.variable(def) ?? '') : '';
  if (key === '') {
    r.log('error', 'the "$memcached_key" variable is not set');
    return 500;
  }
  r.setContentType();
  const wanted = escapeUri(key, 'memcached');
  const conf = confOf('memcached', r.loc);
  r.conn.discardBody(r);
  new Upstream(r, {
    protocol: protocolOf(conf),
    conf: conf.upstream,
    target: { key: wanted },
    method: r.method,
    resolve: (seeker) => resolveGroup(seeker, conf.target),
    ownBody: true,
  }).begin();
  return DONE;
};

const PASS = passDirective('memcached', memcachedHandler);

export const memcachedModule: HttpModule = defineModule(
  'memcached',
  {
    memcached_pass: {
      ...PASS,
      parse(f: HttpFrame, previous) {
        // Some configuration must set it, otherwise the start fails.
        f.scope.main.variables.lookup('memcached_key');
        return PASS.parse(f, previous);
      },
    },
    memcached_gzip_flag: num(HSL, 0),
    ...sharedTable('memcached', 'error timeout denied invalid_response not_found off'.split(' ')),
  } as Table,
  {
    finish(conf, loc) {
      remember('memcached', conf as Record<string, unknown>, loc, { cache: false });
    },
  },
);
