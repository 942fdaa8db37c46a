/** scgi_pass. */
import type { Table } from '../../config/directive.ts';
import { defineModule } from '../config/module.ts';
import type { HttpModule, Request } from '../model/types.ts';
import { cacheTable } from '../upstream/cache-conf.ts';
import { CgiParser, contentLength, type Param, paramDirective, requestParams } from '../upstream/cgi.ts';
import { responseTable, sharedTable } from '../upstream/conf.ts';
import { hosts, paramsOf, passDirective, remember, run, skipsBody } from './gateway.ts';

const scgiHandler = (r: Request): number =>
  run('scgi', r, false, (conf) => ({
    needsLength: true,
    requestHead: (u) => {
      let head = `CONTENT_LENGTH\0${contentLength(u.r)}\0`;
      for (const [name, value] of requestParams(u, conf.params, conf.upstream.passRequestHeaders)) head += `${name}\0${value}\0`;
      return [Buffer.from(`${head.length}:${head},`, 'latin1')];
    },
    wrapBody: (_, data) => [data],
    endBody: () => [],
    parser: (u, sink) => new CgiParser(sink, { maxHeader: conf.upstream.bufferSize, bodyless: skipsBody(u) }),
  }));

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
      remember('scgi', c, loc, { params: paramsOf(c.scgi_param as Param[] | undefined, hosts) });
    },
  },
);
