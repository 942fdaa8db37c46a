// Users, roles and API keys that were created at run time, as every thread holds them. Main stores them and sends changes; the maps are replaced
// entry by entry, so an entry that was read never changes.
import type { RoleDescriptor } from './role.ts';

export interface UserRecord {
  readonly name: string;
  /** In the form of password-hash.ts. */
  readonly passwordHash: string;
  readonly roles: readonly string[];
  readonly fullName: string | null;
  readonly email: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly enabled: boolean;
}

export interface ApiKeyRecord {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the secret, base64url. The secret has 128 random bits, so that a slow hash would add nothing. */
  readonly secretHash: string;
  readonly creationMs: number;
  readonly expirationMs: number | null;
  readonly invalidationMs: number | null;
  readonly owner: string;
  readonly realm: RealmRef;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Privileges of the key by role name; empty: those of its owner. */
  readonly roleDescriptors: Readonly<Record<string, RoleDescriptor>>;
  /** Privileges of the owner when the key was created or last updated. The key has no others, whatever the owner gets or loses. */
  readonly limitedBy: Readonly<Record<string, RoleDescriptor>>;
}

/** Where a user is defined. */
export interface RealmRef {
  readonly name: string;
  readonly type: string;
}

export const FILE_REALM: RealmRef = { name: 'default_file', type: 'file' };
export const NATIVE_REALM: RealmRef = { name: 'default_native', type: 'native' };

interface RecordsByKind {
  readonly user: UserRecord;
  readonly role: RoleDescriptor;
  readonly apiKey: ApiKeyRecord;
}

export type RecordKind = keyof RecordsByKind;

/** A record to add or replace; with `value` null one to remove. */
export type SecurityChange = {
  readonly [Kind in RecordKind]: { readonly kind: Kind; readonly name: string; readonly value: RecordsByKind[Kind] | null };
}[RecordKind];

/** A read-only view of the records. */
export interface SecurityView {
  /** Grows with each change. */
  readonly version: number;
  readonly users: ReadonlyMap<string, UserRecord>;
  readonly roles: ReadonlyMap<string, RoleDescriptor>;
  /** By id. */
  readonly apiKeys: ReadonlyMap<string, ApiKeyRecord>;
}

export class SecurityRecords implements SecurityView {
  readonly users = new Map<string, UserRecord>();
  readonly roles = new Map<string, RoleDescriptor>();
  readonly apiKeys = new Map<string, ApiKeyRecord>();
  version = 0;

  apply(changes: readonly SecurityChange[]): void {
    for (const change of changes) {
      if (change.kind === 'user') put(this.users, change.name, change.value);
      else if (change.kind === 'role') put(this.roles, change.name, change.value);
      else put(this.apiKeys, change.name, change.value);
    }
    this.version++;
  }

  /** Everything, as the changes that make it of nothing. */
  all(): SecurityChange[] {
    return [
      ...[...this.users].map(([name, value]) => ({ kind: 'user', name, value }) as const),
      ...[...this.roles].map(([name, value]) => ({ kind: 'role', name, value }) as const),
      ...[...this.apiKeys].map(([name, value]) => ({ kind: 'apiKey', name, value }) as const),
    ];
  }
}

function put<Value>(map: Map<string, Value>, name: string, value: Value | null): void {
  if (value === null) map.delete(name);
  else map.set(name, value);
}
