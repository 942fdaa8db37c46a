// The modules of `stream { }` in order of execution within each phase, and the directives that load the less common ones.
import type { Table } from '../config/directive.ts';
import type { HttpModule } from '../http/model/types.ts';
import { geoipModule } from '../http/modules/variables/geoip.ts';
import { mapModule } from '../http/modules/variables/map.ts';
import { sslModule } from '../http/tls/ssl.ts';
import { streamCore } from './core.ts';
import type { StreamMain } from './model.ts';
import { streamAccess, streamLimitConn, streamRealip } from './modules/access.ts';
import { streamPass, streamReturn, streamSet } from './modules/content.ts';
import { streamLog } from './modules/log.ts';
import { streamSsl } from './modules/ssl.ts';
import { streamSslPreread } from './modules/ssl-preread.ts';
import { streamProxyConf } from './proxy/conf.ts';
import { streamProxy } from './proxy/proxy-pass.ts';
import { streamGroups } from './upstream-groups.ts';

type StreamModule = HttpModule<Table, StreamMain>;

interface Optional {
  load(): Promise<StreamModule>;
  directives: RegExp;
}

const ENTRIES: (StreamModule | Optional)[] = [
  streamCore,
  streamLog,
  streamRealip,
  { load: async () => (await import('./modules/status-zone.ts')).streamStatusZone, directives: /^status_zone$/ },
  streamLimitConn,
  streamAccess,
  mapModule,
  geoipModule,
  { load: async () => (await import('../http/modules/variables/keyval.ts')).keyvalModule, directives: /^keyval(_zone)?$/ },
  { load: async () => (await import('../http/modules/variables/num-map.ts')).numMapModule, directives: /^num_map$/ },
  sslModule,
  streamSsl,
  streamSet,
  streamSslPreread,
  { load: async () => (await import('./modules/mqtt.ts')).streamMqtt, directives: /^mqtt/ },
  { load: async () => (await import('./modules/js.ts')).streamJs, directives: /^js_/ },
  streamGroups,
  streamProxyConf,
  streamProxy,
  { load: async () => (await import('./proxy/health-check.ts')).streamHealthCheck, directives: /^(health_check(_timeout)?|match)$/ },
  streamReturn,
  streamPass,
];

const load = (entries: (StreamModule | Optional)[]): Promise<StreamModule[]> =>
  Promise.all(entries.map(async (entry) => ('load' in entry ? await entry.load() : entry)));

/** Modules that a configuration needs. @param names  directives in use */
export function loadStreamModules(names: ReadonlySet<string>): Promise<StreamModule[]> {
  return load(ENTRIES.filter((entry) => !('load' in entry) || [...names].some((name) => entry.directives.test(name))));
}

export const allStreamModules = (): Promise<StreamModule[]> => load(ENTRIES);
