// PREFIX_cache_purge: values that make a request remove its own key, or `ZONE KEY` in a location of its own that removes the key of another page,
// as in the ngx_cache_purge module.
import { ANY_COUNT, custom, HSL, LOCATION, type Spec } from '../../../config/directive.ts';
import { drain } from '../../../zone/bus.ts';
import type { HttpFrame } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import type { Request } from '../../model/types.ts';
import { sendText } from '../../phases/send.ts';
import { CacheZone } from './cache-zone.ts';

/** Whether the words are a zone and a key: values of the other form must depend on the request, since a constant would always purge. */
const isZoneAndKey = ({ args, scope }: HttpFrame): boolean =>
  scope.context === LOCATION && args.length === 2 && !args[0].includes('$') && args[1].includes('$') && args[0] !== '' && args[0] !== '0';

export function purgeRule(): Spec<Value[] | null> {
  return custom<Value[] | null>(
    HSL,
    [1, ANY_COUNT],
    null,
    (f: HttpFrame, previous = []) => {
      if (!isZoneAndKey(f)) return [...previous, ...f.args.map((word) => f.scope.value(word))];
      const [name, keyText] = f.args;
      const key = f.scope.value(keyText);
      const zoneOf = (): unknown => f.scope.main.registry.get(`cache:${name}`);
      f.scope.later(() => zoneOf() instanceof CacheZone || f.fail(`cache "${name}" is not defined`));
      f.scope.loc.handler = (r) => purgeKey(r, zoneOf(), key.eval(r));
      return previous;
    },
    { repeats: true },
  );
}

/** 200, or 404 if the cache does not have the key. */
function purgeKey(r: Request, zone: unknown, key: string): number {
  if (!(zone instanceof CacheZone)) return 500;
  r.conn.discardBody(r);
  drain();
  if (zone.purge({ key }) === 0) return 404;
  r.out.status = 200;
  r.out.contentType = 'text/plain';
  return sendText(r, 'Successful purge\n');
}
