// scgi_pass.
import type { Table } from '../../../config/directive.ts';
import { defineModule } from '../../config/module.ts';
import type { HttpModule, Request } from '../../model/types.ts';
import { cacheTable } from '../../upstream/cache/cache-conf.ts';
import { responseTable, sharedTable } from '../../upstream/conf.ts';
import { CgiParser, contentLength, type Param, paramDirective, requestParams } from '../../upstream/protocol/cgi.ts';
import { confOf, hosts, paramsOf, passDirective, protocolFor, remember, run, skipsBody } from './gateway.ts';

const protocolOf = protocolFor((conf) => ({
  name: 'scgi',
  keepsAlive: false,
  needsLength: true,
  requestHead: (x) => {
    let head = `CONTENT_LENGTH\0${contentLength(x.r)}\0`;
    for (const [name, value] of requestParams(x, conf.params, conf.upstream.passRequestHeaders)) head += `${name}\0${value}\0`;
    return [Buffer.from(`${head.length}:${head},`, 'latin1')];
  },
  wrapBody: (_, data) => [data],
  endBody: () => [],
  parser: (x, sink) => new CgiParser(sink, { maxHeader: conf.upstream.bufferSize, bodyless: skipsBody(x) }),
}));

function scgiHandler(r: Request): number {
  const conf = confOf('scgi', r.loc);
  return run(r, conf, protocolOf(conf));
}

export const scgiModule: HttpModule = defineModule(
  'scgi',
  {
    scgi_pass: passDirective('scgi', scgiHandler),
    scgi_param: paramDirective(),
    ...sharedTable('scgi'),
    ...responseTable('scgi'),
    ...cacheTable('scgi'),
  } as Table,
  {
    finish(conf, loc) {
      const c = conf as Record<string, unknown>;
      remember('scgi', c, loc, { params: paramsOf((c.scgi_param as Param[] | undefined) ?? null, hosts) });
    },
  },
);
