// Requests by location and class of status, over all event loops.
import { present } from '../../../../common/present.ts';
import { Counters } from '../../../zone/memory.ts';
import type { HttpMain, Server } from '../../model/types.ts';
import { OK } from '../../request/codes.ts';

const CLASSES = 6;
/** Requests by location (in the order of the configuration) and status class. */
let counts: Counters;
const order = new Map<HttpMain['loc'], number>();

/** Counts every request from now on. */
export function countLocations(main: HttpMain): void {
  order.clear();
  eachLoc(main, (loc) => order.set(loc, order.size));
  counts = new Counters('locations', order.size * CLASSES);
  main.phases.log.push((r) => {
    const at = order.get(r.loc) ?? present(order.get(r.server.root));
    counts.add(at * CLASSES + Math.min(CLASSES - 1, Math.floor((r.out.status || 0) / 100)));
    return OK;
  });
}

/** Every location of every server, in the same order in all event loops. */
function eachLoc(main: HttpMain, visit: (loc: HttpMain['loc'], server: Server) => void): void {
  const walk = (loc: HttpMain['loc'], server: Server) => {
    visit(loc, server);
    for (const child of loc.children) walk(child, server);
  };
  for (const server of main.servers) walk(server.root, server);
}

export interface LocationCounts {
  server: string;
  location: string;
  /** by class of status: `2xx`; `0xx` for requests without a response */
  responses: Record<string, number>;
}

/** Locations with requests; those of the same name in one server are counted together. */
export function locationCounts(http: HttpMain): LocationCounts[] {
  const found = new Map<string, LocationCounts>();
  eachLoc(http, (loc, server) => {
    for (let code = 0; code < CLASSES; code++) {
      const n = counts.total(present(order.get(loc)) * CLASSES + code);
      if (n === 0) continue;
      const key = JSON.stringify([server.name, loc.name]);
      let entry = found.get(key);
      if (!entry) found.set(key, (entry = { server: server.name, location: loc.name, responses: {} }));
      entry.responses[`${code}xx`] = (entry.responses[`${code}xx`] ?? 0) + n;
    }
  });
  return [...found.values()];
}
