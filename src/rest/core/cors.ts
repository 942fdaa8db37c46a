// Cross-origin requests as `http.cors.*` allows them (Fetch standard, CORS protocol).
import { isOriginPattern, type Settings } from '../../config/settings.ts';

export type CorsSettings = Pick<
  Settings,
  | 'http.cors.enabled'
  | 'http.cors.allow-origin'
  | 'http.cors.allow-methods'
  | 'http.cors.allow-headers'
  | 'http.cors.expose-headers'
  | 'http.cors.allow-credentials'
  | 'http.cors.max-age'
>;

export type CorsVerdict =
  /** Not a cross-origin request, or CORS is disabled. */
  | { readonly kind: 'none' }
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'allowed'; readonly headers: Readonly<Record<string, string>> };

const NONE: CorsVerdict = { kind: 'none' };

export class Cors {
  readonly #settings: CorsSettings;
  readonly #isAny: boolean;
  readonly #exact = new Set<string>();
  readonly #patterns: RegExp[] = [];

  constructor(settings: CorsSettings) {
    this.#settings = settings;
    this.#isAny = settings['http.cors.allow-origin'].includes('*');
    for (const origin of settings['http.cors.allow-origin']) {
      if (isOriginPattern(origin)) this.#patterns.push(new RegExp(`^(?:${origin.slice(1, -1)})$`));
      else this.#exact.add(origin.toLowerCase());
    }
  }

  /** Headers for a request with this origin. @param host  `Host` of the request; the same origin is never cross-origin */
  check(origin: string | undefined, host: string | undefined): CorsVerdict {
    if (origin === undefined || !this.#settings['http.cors.enabled']) return NONE;
    if (host !== undefined && origin.replace(/^https?:\/\//, '') === host) return NONE;
    if (!this.#isAllowed(origin)) return { kind: 'forbidden' };
    const hasCredentials = this.#settings['http.cors.allow-credentials'];
    const headers: Record<string, string> = { 'access-control-allow-origin': this.#isAny && !hasCredentials ? '*' : origin };
    if (headers['access-control-allow-origin'] !== '*') headers.vary = 'Origin';
    if (hasCredentials) headers['access-control-allow-credentials'] = 'true';
    const exposed = this.#settings['http.cors.expose-headers'];
    if (exposed.length > 0) headers['access-control-expose-headers'] = exposed.join(',');
    return { kind: 'allowed', headers };
  }

  /** Additional headers for a preflight request: what may be sent. */
  preflightHeaders(): Readonly<Record<string, string>> {
    return {
      'access-control-allow-methods': this.#settings['http.cors.allow-methods'].join(','),
      'access-control-allow-headers': this.#settings['http.cors.allow-headers'].join(','),
      'access-control-max-age': String(this.#settings['http.cors.max-age']),
    };
  }

  #isAllowed(origin: string): boolean {
    return this.#isAny || this.#exact.has(origin.toLowerCase()) || this.#patterns.some((pattern) => pattern.test(origin));
  }
}
