// Sessions of users who have logged in: tokens and claims as JSON in a key-value zone, by the random value of a cookie.
import type { JsonObject } from '../jwt/key-set.ts';

/** The part of a key-value zone that sessions need. */
export interface SessionStore {
  find(key: string): string | null;
  /** @throws Error the zone is full */
  set(key: string, value: string, expireMs: number | undefined): void;
  delete(key: string): boolean;
}

export interface UserSession {
  readonly issuer: string;
  readonly idToken: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** of the ID token */
  readonly claims: JsonObject;
  /** JSON, '' without `userinfo` */
  readonly userinfo: string;
  /** end of the session */
  readonly untilMs: number;
  /** end of the access token, null if unknown */
  readonly accessUntilMs: number | null;
}

const ID = /^[A-Za-z0-9_-]{43}$/;
/** Entry that leads from the provider's session to ours, for front-channel logout. */
const bySid = (sid: unknown): string => `sid:${String(sid).slice(0, 256)}`;

/** @returns null if the entry is not a session, such as one created with the api */
function parse(text: string): UserSession | null {
  try {
    return JSON.parse(text) as UserSession | null;
  } catch {
    return null;
  }
}

export class Sessions {
  readonly #store: () => SessionStore;
  readonly #issuer: string;

  /** @param issuer  sessions of other providers in the same store are ignored */
  constructor(store: () => SessionStore, issuer: string) {
    this.#store = store;
    this.#issuer = issuer;
  }

  find(id: string): UserSession | null {
    const text = ID.test(id) ? this.#store().find(id) : null;
    if (text === null) return null;
    const session = parse(text);
    if (session?.issuer !== this.#issuer) return null;
    if (session.untilMs > Date.now()) return session;
    this.end(id);
    return null;
  }

  save(id: string, session: UserSession): void {
    this.#store().set(id, JSON.stringify(session), undefined);
    if (session.claims.sid !== undefined) this.#store().set(bySid(session.claims.sid), id, undefined);
  }

  end(id: string): void {
    if (ID.test(id)) this.#store().delete(id);
  }

  /** Ends the session that belongs to a session of the provider. */
  endBySid(sid: string): void {
    const id = this.#store().find(bySid(sid));
    if (id === null) return;
    this.end(id);
    this.#store().delete(bySid(sid));
  }
}
