// secure_link: links with a hash of themselves and a secret, optionally with an expiry time.

import { createHash } from 'node:crypto';
import { present } from '../../../../common/present.ts';
import { custom, HSL } from '../../../config/directive.ts';
import { defineModule, type HttpFrame } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import type { Request } from '../../model/types.ts';

export const secureLinkModule = defineModule(
  'secure_link',
  {
    secure_link: custom<Value | null>(HSL, 1, null, (f: HttpFrame) => f.scope.value(f.args[0])),
    secure_link_md5: custom<Value | null>(HSL, 1, null, (f: HttpFrame) => f.scope.value(f.args[0])),
    secure_link_secret: custom<string | null>(HSL, 1, null, (f: HttpFrame) => f.args[0] ?? null),
  },
  {
    variables: [
      { name: 'secure_link', volatile: true, get: secureLink },
      // Evaluated separately, because secure_link_md5 usually refers to it.
      { name: 'secure_link_expires', volatile: true, get: (r): string | null => linkAndEnd(r)?.expires ?? null },
    ],
  },
);

/** The hash of `secure_link`, and its expiry time in seconds; null if that is malformed. */
function linkAndEnd(r: Request): { hash: string; expires: string | null } | null {
  const text = secureLinkModule.conf(r.loc).secure_link?.eval(r);
  if (text === undefined) return null;
  const comma = text.indexOf(',');
  if (comma < 0) return { hash: text, expires: null };
  const expires = text.slice(comma + 1);
  return /^\d{1,18}$/.test(expires) && Number(expires) > 0 ? { hash: text.slice(0, comma), expires } : null;
}

/** `$secure_link`: '1' for a valid link, '0' for an expired one, null otherwise; under `secure_link_secret` the link itself. */
function secureLink(r: Request): string | null {
  const c = secureLinkModule.conf(r.loc);
  if (c.secure_link_secret !== null) {
    const m = /^\/[^/]*\/([0-9a-fA-F]{32})\/(.+)$/.exec(r.main.rawUri);
    if (!m) return null;
    const digest = createHash('md5')
      .update(m[2] + c.secure_link_secret, 'latin1')
      .digest('hex');
    return digest === m[1].toLowerCase() ? m[2] : null;
  }
  const link = c.secure_link_md5 && linkAndEnd(r);
  if (!link || link.hash.length > 24) return null;
  const digest = createHash('md5').update(present(c.secure_link_md5).eval(r), 'latin1').digest();
  if (!/^[A-Za-z0-9_-]{22}(?:==?)?$/.test(link.hash) || !Buffer.from(link.hash, 'base64url').equals(digest)) return null;
  return link.expires !== null && Number(link.expires) < Date.now() / 1000 ? '0' : '1';
}
