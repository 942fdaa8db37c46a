// Users and roles by name, wherever they are defined: built in, in the settings (the file realm), or created at run time (the native realm). A name
// in the settings hides the same name created at run time.
import { BUILT_IN_ROLES } from './built-in-roles.ts';
import { parsePasswordHash } from './password-hash.ts';
import { FILE_REALM, NATIVE_REALM, type RealmRef, type SecurityView, type UserRecord } from './records.ts';
import { parseRole, type RoleDescriptor } from './role.ts';

export interface RealmUser extends UserRecord {
  readonly realm: RealmRef;
}

export interface RealmSettings {
  readonly 'security.users': Readonly<Record<string, unknown>>;
  readonly 'security.roles': Readonly<Record<string, unknown>>;
}

export class Realms {
  readonly records: SecurityView;
  #fileUsers: ReadonlyMap<string, RealmUser>;
  #fileRoles: ReadonlyMap<string, RoleDescriptor>;
  #reloads = 0;
  /** By record, since records never change. */
  readonly #nativeUsers = new WeakMap<UserRecord, RealmUser>();

  /** @throws Error (at start) a user or role of the settings is malformed */
  constructor(settings: RealmSettings, records: SecurityView) {
    this.records = records;
    this.#fileUsers = fileUsers(settings['security.users']);
    this.#fileRoles = fileRoles(settings['security.roles']);
  }

  /** Replaces the users and roles of the settings. @throws Error one is malformed; nothing has changed then */
  reload(settings: RealmSettings): void {
    const users = fileUsers(settings['security.users']);
    this.#fileRoles = fileRoles(settings['security.roles']);
    this.#fileUsers = users;
    this.#reloads++;
  }

  /** Grows with each change of users, roles and API keys. */
  get version(): number {
    return this.records.version + this.#reloads * 2 ** 32;
  }

  get hasUsers(): boolean {
    return this.#fileUsers.size > 0 || this.records.users.size > 0;
  }

  user(name: string): RealmUser | null {
    const file = this.#fileUsers.get(name);
    if (file) return file;
    const record = this.records.users.get(name);
    if (!record) return null;
    let user = this.#nativeUsers.get(record);
    if (!user) this.#nativeUsers.set(record, (user = { ...record, realm: NATIVE_REALM }));
    return user;
  }

  /** All users, those of the settings first. */
  users(): RealmUser[] {
    const names = new Set([...this.#fileUsers.keys(), ...this.records.users.keys()]);
    return [...names].flatMap((name) => this.user(name) ?? []);
  }

  isFileUser(name: string): boolean {
    return this.#fileUsers.has(name);
  }

  roleNames(): string[] {
    return [...new Set([...BUILT_IN_ROLES.keys(), ...this.#fileRoles.keys(), ...this.records.roles.keys()])];
  }

  /** True if a role of this name cannot be created or changed at run time. */
  isReservedRole(name: string): boolean {
    return BUILT_IN_ROLES.has(name) || this.#fileRoles.has(name);
  }

  role(name: string): RoleDescriptor | null {
    return BUILT_IN_ROLES.get(name) ?? this.#fileRoles.get(name) ?? this.records.roles.get(name) ?? null;
  }

  /** The roles of these names that exist, by name. Others grant nothing until they are created. */
  roles(names: readonly string[]): Record<string, RoleDescriptor> {
    return Object.fromEntries(
      names.flatMap((name) => {
        const found = this.role(name);
        return found === null ? [] : [[name, found]];
      }),
    );
  }

  /** Roles that users of the settings name and nothing defines. */
  get missingRoles(): string[] {
    const names = [...this.#fileUsers.values()].flatMap(({ roles }) => roles);
    return [...new Set(names.filter((name) => this.role(name) === null))];
  }
}

/** @throws Error the first malformed user, with its name */
function fileUsers(setting: Readonly<Record<string, unknown>>): Map<string, RealmUser> {
  const users = new Map<string, RealmUser>();
  for (const [name, value] of Object.entries(setting)) {
    const fail = (problem: string): never => {
      throw new Error(`security.users: ${name}: ${problem}`);
    };
    if (typeof value !== 'object' || value === null) return fail('must be a map');
    const { password_hash: hash, roles, full_name: fullName = null, email = null, ...rest } = value as Record<string, unknown>;
    const extra = Object.keys(rest)[0];
    if (extra !== undefined) fail(`has no [${extra}]: use password_hash, roles, full_name, email`);
    if (name.includes(':')) fail('a name may not contain a colon');
    if (!Array.isArray(roles) || roles.some((role) => typeof role !== 'string')) fail('roles: must be a list of names');
    if (fullName !== null && typeof fullName !== 'string') fail('full_name: must be a string');
    if (email !== null && typeof email !== 'string') fail('email: must be a string');
    try {
      parsePasswordHash(hash);
    } catch (error) {
      fail((error as Error).message);
    }
    users.set(name, {
      name,
      passwordHash: String(hash),
      roles: roles as string[],
      fullName: fullName as string | null,
      email: email as string | null,
      metadata: {},
      enabled: true,
      realm: FILE_REALM,
    });
  }
  return users;
}

/** @throws Error the first malformed role, with its name */
function fileRoles(setting: Readonly<Record<string, unknown>>): Map<string, RoleDescriptor> {
  const roles = new Map<string, RoleDescriptor>();
  for (const [name, value] of Object.entries(setting)) {
    if (BUILT_IN_ROLES.has(name)) throw new Error(`security.roles: ${name}: the name of a built-in role`);
    try {
      roles.set(name, parseRole(name, value));
    } catch (error) {
      throw new Error(`security.roles: ${name}: ${(error as Error).message}`);
    }
  }
  return roles;
}
