// Who sends a request, once authenticated.

export interface Identity {
  readonly username: string;
  /** Names of the effective roles, sorted. */
  readonly roles: readonly string[];
  readonly fullName: string | null;
  readonly email: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The API key that authenticated the request in place of a password. */
  readonly apiKey: { readonly id: string; readonly name: string } | null;
}

/** Identifies the owner of scrolls, points in time and tasks: a user, or one API key. */
export function ownerOf({ username, apiKey }: Pick<Identity, 'username'> & { readonly apiKey: { readonly id: string } | null }): string {
  return apiKey === null ? `user ${username}` : `api_key ${apiKey.id}`;
}

/** `user [ann] with effective roles [reader]`, for messages about refused actions. */
export function describeIdentity({ username, roles, apiKey }: Identity): string {
  return apiKey === null
    ? `user [${username}] with effective roles [${[...roles].sort().join(',')}]`
    : `API key id [${apiKey.id}] of user [${username}]`;
}
