// uwsgi_pass.
import { HSL, num, type Table, text } from '../../../config/directive.ts';
import { defineModule } from '../../config/module.ts';
import type { HttpModule, Request } from '../../model/types.ts';
import { cacheTable } from '../../upstream/cache/cache-conf.ts';
import { responseTable, sharedTable } from '../../upstream/conf.ts';
import { upstreamTls, upstreamTlsTable } from '../../upstream/connection/tls.ts';
import { CgiParser, type Param, paramDirective, requestParams } from '../../upstream/protocol/cgi.ts';
import { InvalidResponse } from '../../upstream/protocol/protocol.ts';
import { confOf, hosts, paramsOf, passDirective, protocolFor, remember, run, skipsBody } from './gateway.ts';

const protocolOf = protocolFor((conf) => ({
  name: 'uwsgi',
  keepsAlive: false,
  needsLength: true,
  requestHead: (x) => {
    const bytes: Buffer[] = [];
    const short = (n: number) => Buffer.from([n & 255, n >> 8]);
    const params = requestParams(x, conf.params, conf.upstream.passRequestHeaders);
    for (const [name, value] of params)
      bytes.push(short(name.length), Buffer.from(name, 'latin1'), short(value.length), Buffer.from(value, 'latin1'));
    bytes.push(Buffer.from(conf.values.uwsgi_string as string, 'latin1'));
    const all = Buffer.concat(bytes);
    if (all.length > 65_535) throw new InvalidResponse(`uwsgi request is too little: ${all.length}`);
    const { uwsgi_modifier1, uwsgi_modifier2 } = conf.values as { uwsgi_modifier1: number; uwsgi_modifier2: number };
    return [Buffer.from([uwsgi_modifier1 & 255, all.length & 255, all.length >> 8, uwsgi_modifier2 & 255]), all];
  },
  wrapBody: (_, data) => [data],
  endBody: () => [],
  parser: (x, sink) => new CgiParser(sink, { maxHeader: conf.upstream.bufferSize, bodyless: skipsBody(x) }),
  tls: ({ r }) => {
    const { target, tls } = conf;
    const text = target.value ? target.value.eval(r) : target.text;
    return tls && (target.secure || /^suwsgi:/i.test(text)) ? upstreamTls(r, tls, text) : undefined;
  },
}));

function uwsgiHandler(r: Request): number {
  const conf = confOf('uwsgi', r.loc);
  return run(r, conf, protocolOf(conf));
}

export const uwsgiModule: HttpModule = defineModule(
  'uwsgi',
  {
    uwsgi_pass: passDirective('uwsgi', uwsgiHandler),
    uwsgi_param: paramDirective(),
    uwsgi_modifier1: num(HSL, 0),
    uwsgi_modifier2: num(HSL, 0),
    uwsgi_string: text(HSL, ''),
    ...sharedTable('uwsgi'),
    ...responseTable('uwsgi'),
    ...cacheTable('uwsgi'),
    ...upstreamTlsTable('uwsgi'),
  } as Table,
  {
    finish(conf, loc) {
      const c = conf as Record<string, unknown>;
      remember('uwsgi', c, loc, { tls: true, params: paramsOf((c.uwsgi_param as Param[] | undefined) ?? null, hosts) });
    },
  },
);
