// sub_filter: replaces strings in a response.
import { present } from '../../../../common/present.ts';
import { custom, flag, HSL } from '../../../config/directive.ts';
import { mediaTypes, typeMatches } from '../../config/mime-types.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import type { Request } from '../../model/types.ts';
import { OK } from '../../request/codes.ts';
import { clearModified, textOf, weakenEtag } from './changed-body.ts';

interface Pair {
  match: Value;
  value: Value;
}

export const subModule = defineModule(
  'sub',
  {
    sub_filter: custom<Pair[] | null>(
      HSL,
      2,
      null,
      (f: HttpFrame, previous = []) => {
        if (f.args[0] === '') f.fail('empty search pattern');
        return [...previous, { match: f.scope.value(f.args[0]), value: f.scope.value(f.args[1]) }];
      },
      { repeats: true },
    ),
    sub_filter_types: mediaTypes(),
    sub_filter_once: flag(HSL, true),
    sub_filter_last_modified: flag(HSL, false),
  },
  {
    init(main) {
      main.addHeaderFilter('sub', subHeader);
    },
  },
);

function subHeader(r: Request): number {
  const c = subModule.conf(r.loc);
  const { out } = r;
  if (!c.sub_filter || out.contentLength === 0 || !typeMatches(c.sub_filter_types, out.contentType)) return OK;
  const pairs = c.sub_filter
    .map((p) => ({ match: p.match.eval(r).toLowerCase(), value: p.value, used: false }))
    .filter((p) => p.match !== '');
  if (pairs.length === 0) return OK;
  out.contentLength = -1;
  if (!r.isSub) {
    if (!c.sub_filter_last_modified) clearModified(r);
    else weakenEtag(r);
  }
  r.allowRanges = false;
  r.needInMemory = true;
  let held = '';
  const longest = Math.max(...pairs.map((p) => p.match.length));
  r.addBodyFilter('sub', (req, pieces, flags, position) => {
    held += textOf(pieces);
    let done = '';
    const lower = held.toLowerCase();
    let pos = 0;
    for (;;) {
      let at = -1;
      let hit: (typeof pairs)[number] | null = null;
      for (const pair of pairs) {
        if (c.sub_filter_once && pair.used) continue;
        const found = lower.indexOf(pair.match, pos);
        if (found >= 0 && (at < 0 || found < at || (found === at && pair.match.length > present(hit).match.length))) {
          at = found;
          hit = pair;
        }
      }
      if (!hit) break;
      // A longer match may start earlier or end later in the bytes to come.
      done += held.slice(pos, at) + hit.value.eval(req);
      hit.used = true;
      pos = at + hit.match.length;
    }
    const keep = flags.last || flags.ownEnd ? 0 : partialLength(lower, pos, pairs, longest, c.sub_filter_once);
    done += held.slice(pos, held.length - keep);
    held = keep > 0 ? held.slice(held.length - keep) : '';
    if (done === '' && pieces.length > 0 && !flags.last && !flags.flush) return OK;
    return req.nextBody(done === '' ? [] : [Buffer.from(done, 'latin1')], flags, position);
  });
  return OK;
}

/** Length of the longest tail that may be the start of a match. */
function partialLength(
  text: string,
  from: number,
  pairs: readonly { match: string; used: boolean }[],
  longest: number,
  once: boolean,
): number {
  for (let length = Math.min(longest - 1, text.length - from); length > 0; length--) {
    const tail = text.slice(text.length - length);
    if (pairs.some((p) => !(once && p.used) && p.match.length > length && p.match.startsWith(tail))) return length;
  }
  return 0;
}
