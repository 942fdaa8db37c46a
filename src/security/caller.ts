// Who sends a request, how that is known, and what he may do.
import type { Identity } from './identity.ts';
import type { Permissions } from './permissions.ts';
import type { RealmRef } from './records.ts';
import type { RoleDescriptor } from './role.ts';

export interface Caller {
  readonly identity: Identity;
  readonly permissions: Permissions;
  /** How the request was authenticated, as `_authenticate` names it. */
  readonly type: 'realm' | 'api_key';
  readonly realm: RealmRef;
  /** The roles that grant the permissions, by name. */
  readonly roles: Readonly<Record<string, RoleDescriptor>>;
  /** Roles that limit an API key; null for a user. */
  readonly limitedBy: Readonly<Record<string, RoleDescriptor>> | null;
}

/** An authenticated caller as plain data, for a thread that serves the rest of a request. */
export interface CallerRef {
  readonly user: string;
  readonly apiKeyId: string | null;
}

export function callerRef({ identity }: Caller): CallerRef {
  return { user: identity.username, apiKeyId: identity.apiKey?.id ?? null };
}
