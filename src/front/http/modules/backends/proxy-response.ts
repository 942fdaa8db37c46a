// Header fields of HTTP back ends that refer to the back end's own address: Location, Refresh and Set-Cookie.
import type { HeaderField } from '../../../../http/wire/header.ts';
import { Value } from '../../config/value.ts';
import type { Loc, Request } from '../../model/types.ts';
import type { ProxyConf } from './proxy-conf.ts';
import { type Replacement, replace, rewriteCookie } from './proxy-rewrite.ts';
import type { PassTarget } from './proxy-target.ts';

/** Applies proxy_redirect or proxy_cookie_* to a field. */
export function rewriteField(r: Request, conf: ProxyConf, field: HeaderField): void {
  if (field.lname === 'set-cookie') {
    if (conf.cookieDomains.length + conf.cookiePaths.length + conf.cookieFlags.length > 0) {
      field.value = rewriteCookie(r, field.value, conf.cookieDomains, conf.cookiePaths, conf.cookieFlags);
    }
    return;
  }
  let before = '';
  let url = field.value;
  if (field.lname === 'refresh') {
    const m = /^(.*?url=)(.*)$/is.exec(field.value);
    if (!m) return;
    [, before, url] = m;
  }
  const changed = replace(r, conf.redirects, url);
  if (changed !== null) field.value = before + changed;
}

const constant = (text: string): Value => {
  const plain = text.replace(/\$/g, '');
  return new Value(plain, plain === '' ? [] : [plain]);
};

/** `proxy_redirect default`: the URL of proxy_pass becomes the name of the location. None if the URL has variables. */
export function defaultRedirect(target: PassTarget, loc: Loc): Replacement[] {
  if (target.kind !== 'fixed') return [];
  const { schema, hostText, uri } = target.address;
  const to = loc.kind === 'regex' || loc.kind === 'named' ? '/' : loc.name;
  return [{ prefix: constant(schema + hostText + (uri || '/')), to: constant(uri === '' ? '/' : to) }];
}
