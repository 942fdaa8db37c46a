// tunnel_pass: CONNECT of a forward proxy.
import { LOCATION, LOCATION_IF, SERVER, type Table } from '../../../config/directive.ts';
import { defineModule } from '../../config/module.ts';
import type { HttpModule, Request } from '../../model/types.ts';
import { DONE } from '../../request/codes.ts';
import { sharedTable } from '../../upstream/conf.ts';
import type { Protocol } from '../../upstream/protocol/protocol.ts';
import { Upstream } from '../../upstream/upstream.ts';
import { confOf, passDirective, remember, resolveGroup } from './gateway.ts';

const PROTOCOL: Protocol = {
  name: 'tunnel',
  keepsAlive: false,
  requestHead: () => [],
  wrapBody: () => [],
  endBody: () => [],
  parser: () => ({ feed: () => {}, end: () => true }),
};

function tunnelHandler(r: Request): number {
  if (r.method !== 'CONNECT') return 405;
  if (r.version < 1001) return 405;
  const conf = confOf('tunnel', r.loc);
  new Upstream(r, {
    protocol: PROTOCOL,
    conf: conf.upstream,
    target: {},
    method: 'CONNECT',
    resolve: (seeker) => resolveGroup(seeker, conf.target, 443),
    ownBody: true,
    isConnect: true,
  }).begin();
  return DONE;
}

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
