// Rights of users. Roles are defined by the setting `security.roles`; `superuser` is built in.
import { matchesPattern } from '../../common/wildcard.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Privilege } from './privilege.ts';

const CLUSTER_PRIVILEGES = ['monitor', 'manage', 'all'] as const;
const INDEX_PRIVILEGES = ['read', 'write', 'create_index', 'delete_index', 'manage', 'view_index_metadata', 'monitor', 'all'] as const;

/** Privileges of roles that grant each privilege of an API. */
const GRANTED_BY: Readonly<Record<Exclude<Privilege, 'none'>, readonly string[]>> = {
  'cluster:monitor': ['monitor', 'manage', 'all'],
  'cluster:manage': ['manage', 'all'],
  'index:read': ['read', 'all'],
  'index:write': ['write', 'all'],
  'index:create': ['create_index', 'manage', 'all'],
  'index:delete': ['delete_index', 'manage', 'all'],
  'index:manage': ['manage', 'all'],
  'index:metadata': ['view_index_metadata', 'monitor', 'manage', 'all'],
};

function grantsOf(privilege: Privilege): readonly string[] {
  return privilege === 'none' ? [] : GRANTED_BY[privilege];
}

/** The indices that an operation can reach, by concrete name. */
export interface IndexView {
  /** True if documents and metadata of the index can be reached by its name. */
  isVisible(name: string): boolean;
  /** True if index expressions (names, patterns, aliases, "all") can resolve to the index. */
  isTarget(name: string): boolean;
  /** security_exception 403 for an index or alias that a command names, or null if it is allowed. */
  refusalOf(name: string): ApiError | null;
}

export interface Role {
  readonly cluster: readonly string[];
  readonly indices: ReadonlyArray<{ readonly names: readonly string[]; readonly privileges: readonly string[] }>;
}

const SUPERUSER: Role = { cluster: ['all'], indices: [{ names: ['*'], privileges: ['all'] }] };

/** @throws Error (start-up) with the name of the role and the problem */
export function parseRoles(settings: Readonly<Record<string, unknown>>): Map<string, Role> {
  const roles = new Map<string, Role>([['superuser', SUPERUSER]]);
  for (const [name, value] of Object.entries(settings)) {
    const role = value as { cluster?: unknown; indices?: unknown } | null;
    if (typeof role !== 'object' || role === null) throw new Error(`security.roles: ${name}: must be a map`);
    const cluster = nameList(`security.roles: ${name}: cluster`, role.cluster ?? [], CLUSTER_PRIVILEGES);
    if (role.indices !== undefined && !Array.isArray(role.indices)) throw new Error(`security.roles: ${name}: indices: must be a list`);
    const indices = ((role.indices ?? []) as Array<{ names?: unknown; privileges?: unknown }>).map((entry) => ({
      names: nameList(`security.roles: ${name}: names`, entry?.names, null),
      privileges: nameList(`security.roles: ${name}: privileges`, entry?.privileges, INDEX_PRIVILEGES),
    }));
    roles.set(name, { cluster, indices });
  }
  return roles;
}

function nameList(where: string, value: unknown, known: readonly string[] | null): string[] {
  const list = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(list) || list.some((item) => typeof item !== 'string')) throw new Error(`${where}: must be a list of names`);
  const unknown = known ? list.find((item) => !known.includes(item as string)) : undefined;
  if (unknown !== undefined) throw new Error(`${where}: [${String(unknown)}] is none of [${known?.join(', ')}]`);
  return list as string[];
}

/** The rights of one request's user. */
export class Access {
  readonly user: string | null;
  readonly #roles: readonly Role[] | null;

  /** @param roles  null if no users are configured: everything is allowed */
  constructor(user: string | null, roles: readonly Role[] | null) {
    this.user = user;
    this.#roles = roles;
  }

  get isUnlimited(): boolean {
    return this.#roles === null;
  }

  /**
   * True if the privilege is granted on an index expression. It must be granted on each named index. For patterns and "all" a grant on any index
   * is enough, since RestrictedEngine expands them to the allowed indices only.
   */
  allows(privilege: Privilege, index: string | null): boolean {
    if (this.#roles === null || privilege === 'none') return true;
    const granted = grantsOf(privilege);
    if (privilege.startsWith('cluster:')) return this.#roles.some((role) => role.cluster.some((name) => granted.includes(name)));
    const names = (index ?? '').split(',').filter((name) => name !== '' && !name.startsWith('-'));
    const concrete = names.filter((name) => name !== '_all' && !name.includes('*'));
    if (concrete.length < names.length || names.length === 0) {
      if (!this.#roles.some((role) => role.indices.some((entry) => entry.privileges.some((own) => granted.includes(own))))) return false;
    }
    return concrete.every((name) => this.#allowsIndex(granted, name));
  }

  /**
   * The indices that an operation with this privilege can reach, or null for all of them. Privileges that do not concern indices reach none, except
   * for those on the whole cluster, which include the metadata of every index.
   * @param targetPrivilege  right that is also needed on the indices that expressions resolve to
   */
  view(privilege: Privilege, targetPrivilege: Privilege = privilege): IndexView | null {
    if (this.#roles === null || privilege.startsWith('cluster:')) return null;
    const allows = (need: Privilege, name: string) => need.startsWith('index:') && this.#allowsIndex(grantsOf(need), name);
    return {
      isVisible: (name) => allows(privilege, name),
      isTarget: (name) => allows(privilege, name) && allows(targetPrivilege, name),
      refusalOf: (name) => (allows(privilege, name) ? null : this.#refusal(privilege, name)),
    };
  }

  #allowsIndex(granted: readonly string[], name: string): boolean {
    return (this.#roles ?? []).some((role) =>
      role.indices.some(
        (entry) =>
          entry.privileges.some((privilege) => granted.includes(privilege)) && entry.names.some((pattern) => matchesPattern(pattern, name)),
      ),
    );
  }

  /** @throws ApiError security_exception 403 */
  require(privilege: Privilege, index: string | null): void {
    const refusal = this.refusal(privilege, index);
    if (refusal) throw refusal;
  }

  /** security_exception 403, or null if it is allowed. */
  refusal(privilege: Privilege, index: string | null): ApiError | null {
    return this.allows(privilege, index) ? null : this.#refusal(privilege, index);
  }

  #refusal(privilege: Privilege, index: string | null): ApiError {
    const on = privilege.startsWith('index:') ? ` on indices [${index === null || index === '' ? '_all' : index}]` : '';
    return new ApiError('security_exception', 403, `action [${privilege}] is unauthorized for user [${this.user}]${on}`);
  }
}

export const FULL_ACCESS = new Access(null, null);
