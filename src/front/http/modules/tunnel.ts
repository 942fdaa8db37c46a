/** tunnel_pass: CONNECT of a forward proxy. */
import { LOCATION, LOCATION_IF, SERVER, type Table } from '../../config/directive.ts';
import { defineModule } from '../config/module.ts';
import type { HttpModule, Request } from '../model/types.ts';
import { DONE } from '../request/codes.ts';
import { sharedTable } from '../upstream/conf.ts';
import { Upstream } from '../upstream/upstream.ts';
import { confs, passDirective, remember, resolveGroup } from './gateway.ts';

const tunnelHandler = (r: Request): number => {
  if (r.method !== 'CONNECT') return 405;
  if (r.version < 1001) return 405;
  const conf = confs.get('tunnel')!.get(r.loc)!;
  conf.protocol ??= {
    name: 'tunnel',
    keepsAlive: false,
    requestHead: () => [],
    wrapBody: () => [],
    endBody: () => [],
    parser: () => ({ feed: () => {}, end: () => true }),
  };
  const u = new Upstream(r, {
    protocol: conf.protocol,
    conf: conf.upstream,
    method: 'CONNECT',
    resolve: (upstream) => resolveGroup(upstream, conf.target!, 443),
  });
  u.notes.ownBody = true;
  u.connectTunnel = true;
  u.begin();
  return DONE;
};

export const tunnelModule: HttpModule = defineModule(
  'tunnel',
  {
    tunnel_pass: passDirective('tunnel', tunnelHandler, SERVER | LOCATION | LOCATION_IF),
    ...sharedTable('tunnel', 'error timeout denied off'.split(' ')),
  } as Table,
  {
    init(main) {
      main.registry.set('tunnel', true);
    },
    finish(conf, loc) {
      remember('tunnel', conf as Record<string, unknown>, loc, { cache: false });
    },
  },
);
