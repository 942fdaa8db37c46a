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

/** Applies domain, path and flag rules to a Set-Cookie value. */
export function rewriteCookie(
  r: Request,
  text: string,
  domains: readonly Replacement[],
  paths: readonly Replacement[],
  flags: readonly CookieFlags[],
): string {
  let touched = false;
  const parts = text.split(';').map((p, n) => (n === 0 ? p : p.replace(/^ +/, '')));
  for (let n = 1; n < parts.length; n++) {
    const m = /^(domain|path) *= *(.*)$/i.exec(parts[n]);
    if (!m) continue;
    const changed = replace(r, m[1].toLowerCase() === 'domain' ? domains : paths, m[2]);
    if (changed !== null) touched = true;
    if (changed !== null) parts[n] = `${parts[n].slice(0, parts[n].length - m[2].length)}${changed}`;
  }
  const name = parts[0].split('=')[0].trim();
  for (const rule of flags) {
    if (rule.regex ? !rule.regex.test(name) : rule.name.eval(r) !== name) continue;
    for (const value of rule.flags) applyFlag(parts, value.eval(r));
    touched = true;
    break;
  }
  return touched ? parts.join('; ') : text;
}

function applyFlag(parts: string[], flag: string): void {
  const drop = (pattern: RegExp) => {
    for (let n = parts.length - 1; n > 0; n--) if (pattern.test(parts[n])) parts.splice(n, 1);
  };
  switch (flag) {
    case 'secure':
      drop(/^secure$/i);
      parts.push('Secure');
      return;
    case 'nosecure':
      drop(/^secure$/i);
      return;
    case 'httponly':
      drop(/^httponly$/i);
      parts.push('HttpOnly');
      return;
    case 'nohttponly':
      drop(/^httponly$/i);
      return;
    case 'nosamesite':
      drop(/^samesite(?:=|$)/i);
      return;
    case 'samesite=strict':
    case 'samesite=lax':
    case 'samesite=none':
      drop(/^samesite(?:=|$)/i);
      parts.push(`SameSite=${flag[9].toUpperCase()}${flag.slice(10)}`);
      return;
  }
}
