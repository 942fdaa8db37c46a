// proxy_redirect and proxy_cookie_*: adapt Location, Refresh and Set-Cookie fields to this server's addresses.
import type { Regex } from '../../../config/regex.ts';
import { compileRegex } from '../../config/compile-regex.ts';
import type { HttpFrame } from '../../config/module.ts';
import type { Value } from '../../config/value.ts';
import type { Request } from '../../model/types.ts';

export type Replacement =
  | { regex: Regex; to: Value }
  /** `domain`: domains are compared as suffixes after an optional dot */
  | { regex?: undefined; prefix: Value; domain?: boolean; to: Value };

/** Parses `from to`, where `from` may be a `~regex`; `domain` for cookie domains. */
export function parseReplacement(f: HttpFrame, from: string, to: string, domain = false): Replacement {
  if (from.startsWith('~')) {
    const ignoreCase = from.startsWith('~*') || domain;
    return { regex: compileRegex(f, from.startsWith('~*') ? from.slice(2) : from.slice(1), ignoreCase), to: f.scope.value(to) };
  }
  const bare = (text: string) => (domain && text.startsWith('.') ? text.slice(1) : text);
  return { prefix: f.scope.value(bare(from)), domain, to: f.scope.value(bare(to)) };
}

/** Applies the first matching rule; null if none matches. */
export function replace(r: Request, rules: readonly Replacement[], text: string): string | null {
  for (const rule of rules) {
    if (rule.regex) {
      const captures = rule.regex.exec(text);
      if (!captures) continue;
      const kept = r.captures;
      r.setNamed(rule.regex, captures);
      const to = rule.to.eval(r);
      r.captures = kept;
      return to;
    }
    const prefix = rule.prefix.eval(r);
    if (rule.domain) {
      const dot = text.startsWith('.') ? '.' : '';
      if (text.slice(dot.length).toLowerCase() === prefix.toLowerCase()) return dot + rule.to.eval(r);
      continue;
    }
    if (text.startsWith(prefix)) return rule.to.eval(r) + text.slice(prefix.length);
  }
  return null;
}

/** Flags for the cookies of a name. */
export type CookieFlags = { regex: Regex; flags: Value[] } | { regex?: undefined; name: Value; flags: Value[] };

/** An attribute of a Set-Cookie field; the first is the cookie itself. `value` is null without an equals sign. */
interface Attribute {
  key: string;
  value: string | null;
}

function parseAttributes(text: string): Attribute[] {
  return text.split(';').map((part) => {
    const equals = part.indexOf('=');
    if (equals < 0) return { key: trimSpaces(part), value: null };
    return { key: trimSpaces(part.slice(0, equals)), value: trimSpaces(part.slice(equals + 1)) };
  });
}

const trimSpaces = (text: string): string => text.replace(/^ +| +$/g, '');

/** Applies domain, path and flag rules to a Set-Cookie value; a value to which no rule applies is left unchanged. */
export function rewriteCookie(
  r: Request,
  text: string,
  domains: readonly Replacement[],
  paths: readonly Replacement[],
  flags: readonly CookieFlags[],
): string {
  const attributes = parseAttributes(text);
  const [cookie, ...rest] = attributes;
  if (cookie.value === null) return text;
  let isChanged = false;
  for (const attribute of rest) {
    const key = attribute.key.toLowerCase();
    if (attribute.value === null || (key !== 'domain' && key !== 'path')) continue;
    const changed = replace(r, key === 'domain' ? domains : paths, attribute.value);
    if (changed === null) continue;
    attribute.value = changed;
    isChanged = true;
  }
  const name = cookie.key;
  const rule = flags.find((f) => (f.regex ? f.regex.test(name) : f.name.eval(r).toLowerCase() === name.toLowerCase()));
  const wanted = new Set(rule?.flags.map((flag) => flag.eval(r).toLowerCase()).filter((flag) => COOKIE_FLAGS.has(flag)));
  if (!isChanged && wanted.size === 0) return text;
  return [cookie, ...withFlags(rest, wanted)].map(({ key, value }) => (value === null ? key : `${key}=${value}`)).join('; ');
}

const SAME_SITE = ['Strict', 'Lax', 'None'];
const COOKIE_FLAGS = new Set([
  ...['secure', 'nosecure', 'httponly', 'nohttponly', 'nosamesite'],
  ...SAME_SITE.map((mode) => `samesite=${mode.toLowerCase()}`),
]);

/** Adds or removes flags; flags that are already present keep their place and spelling. @param wanted  consumed by the call */
function withFlags(attributes: readonly Attribute[], wanted: Set<string>): Attribute[] {
  const sameSite = () => SAME_SITE.find((mode) => wanted.has(`samesite=${mode.toLowerCase()}`));
  const kept = attributes.flatMap((attribute): Attribute[] => {
    const key = attribute.key.toLowerCase();
    if (key === 'secure' || key === 'httponly') return wanted.delete(key) || !wanted.has(`no${key}`) ? [attribute] : [];
    if (key !== 'samesite') return [attribute];
    const mode = sameSite();
    if (mode === undefined) return wanted.has('nosamesite') ? [] : [attribute];
    wanted.delete(`samesite=${mode.toLowerCase()}`);
    return attribute.value?.toLowerCase() === mode.toLowerCase() ? [attribute] : [{ key: 'SameSite', value: mode }];
  });
  if (wanted.has('secure')) kept.push({ key: 'Secure', value: null });
  if (wanted.has('httponly')) kept.push({ key: 'HttpOnly', value: null });
  const mode = sameSite();
  if (mode !== undefined) kept.push({ key: 'SameSite', value: mode });
  return kept;
}
