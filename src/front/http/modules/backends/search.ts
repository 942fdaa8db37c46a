// search_pass: puts the search engine behind a location, by the address of a node (`search_pass http://127.0.0.1:9200;`).
import { custom, LOCATION, LOCATION_IF } from '../../../config/directive.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import { parsePass, proxyModule } from './proxy.ts';

export const searchModule = defineModule('search', {
  search_pass: custom<boolean>(LOCATION | LOCATION_IF, 1, false, (f: HttpFrame) => {
    const conf = f.scope.loc.confs[proxyModule.index] as { proxy_pass?: unknown };
    if (conf.proxy_pass) f.fail('"search_pass" and "proxy_pass" cannot be used in one location');
    conf.proxy_pass = parsePass(f);
    return true;
  }),
});
