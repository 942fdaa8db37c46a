// The permissions of a set of roles. Roles add up: whatever one of them grants is granted.
import { BoundedMap } from '../common/bounded-map.ts';
import { type ActionSet, grantsAction, includesSet } from './action-set.ts';
import { clusterPrivilege } from './cluster-privileges.ts';
import { indexPrivilege } from './index-privileges.ts';
import { matchesName } from './name-pattern.ts';
import type { FieldSecurity, RoleDescriptor } from './role.ts';

/** The documents and fields of an index that can be seen. Lists of lists: every outer entry limits, and each allows what one of its inner entries does. */
export interface Restriction {
  /** Queries of roles, as JSON or templates. */
  readonly queries: ReadonlyArray<readonly string[]>;
  readonly fields: ReadonlyArray<readonly FieldSecurity[]>;
}

/** Decisions for one caller. Names are those that a request uses, of indices or aliases, whether they exist or not. */
export interface Permissions {
  allowsCluster(action: string): boolean;
  /** True if the action is granted on some name. */
  allowsSomeIndex(action: string): boolean;
  allowsIndex(action: string, name: string): boolean;
  /** True if something may be granted on `name` that is not granted on `other`. */
  isWider(name: string, other: string): boolean;
  /** The restriction of an action on an index that a request reaches by these names; null if there is none. */
  restrictionOf(action: string, names: readonly string[]): Restriction | null;
}

const MAX_REMEMBERED = 5000;
/** Longer names cannot exist; they come from requests and would fill the memory. */
const MAX_REMEMBERED_CHARS = 255;

interface Group {
  readonly names: readonly string[];
  readonly actions: readonly ActionSet[];
  readonly query: string | null;
  readonly fieldSecurity: FieldSecurity | null;
}

/** The union of roles. */
export class RolePermissions implements Permissions {
  readonly #cluster: readonly ActionSet[];
  readonly #groups: readonly Group[];
  readonly #isRestricted: boolean;
  readonly #decided = new BoundedMap<string, boolean>(MAX_REMEMBERED);

  /** @throws ApiError illegal_argument_exception: an unknown privilege */
  constructor(roles: readonly RoleDescriptor[]) {
    this.#cluster = roles.flatMap(({ cluster }) => cluster.map((name) => clusterPrivilege(name)));
    this.#groups = roles.flatMap(({ indices }) =>
      indices.map(({ names, privileges, query, fieldSecurity }) => ({
        names,
        actions: privileges.map((name) => indexPrivilege(name)),
        query,
        fieldSecurity,
      })),
    );
    this.#isRestricted = this.#groups.some(({ query, fieldSecurity }) => query !== null || fieldSecurity !== null);
  }

  allowsCluster(action: string): boolean {
    return this.#cluster.some((set) => grantsAction(set, action));
  }

  allowsSomeIndex(action: string): boolean {
    return this.#groups.some((group) => grants(group, action));
  }

  allowsIndex(action: string, name: string): boolean {
    if (name.length > MAX_REMEMBERED_CHARS) return this.#decide(action, name);
    const key = `${action} ${name}`;
    let isAllowed = this.#decided.get(key);
    if (isAllowed === undefined) this.#decided.set(key, (isAllowed = this.#decide(action, name)));
    return isAllowed;
  }

  #decide(action: string, name: string): boolean {
    return this.#groups.some((group) => grants(group, action) && isNamed(group, name));
  }

  isWider(name: string, other: string): boolean {
    const actionsOn = (index: string) => this.#groups.filter((group) => isNamed(group, index)).flatMap(({ actions }) => actions);
    const granted = actionsOn(other);
    return actionsOn(name).some((set) => !granted.some((wider) => includesSet(wider, set)));
  }

  restrictionOf(action: string, names: readonly string[]): Restriction | null {
    if (!this.#isRestricted) return null;
    const groups = this.#groups.filter((group) => grants(group, action) && names.some((name) => isNamed(group, name)));
    const queries = groups.flatMap(({ query }) => (query === null ? [] : [query]));
    const fields = groups.flatMap(({ fieldSecurity }) => (fieldSecurity === null ? [] : [fieldSecurity]));
    const limitsDocuments = queries.length === groups.length && groups.length > 0;
    const limitsFields = fields.length === groups.length && groups.length > 0;
    if (!limitsDocuments && !limitsFields) return null;
    return { queries: limitsDocuments ? [[...new Set(queries)].sort()] : [], fields: limitsFields ? [fields] : [] };
  }
}

/** The intersection of two permissions: those of an API key and of its owner. */
export class LimitedPermissions implements Permissions {
  readonly #own: Permissions;
  readonly #limit: Permissions;

  constructor(own: Permissions, limit: Permissions) {
    this.#own = own;
    this.#limit = limit;
  }

  allowsCluster(action: string): boolean {
    return this.#own.allowsCluster(action) && this.#limit.allowsCluster(action);
  }

  allowsSomeIndex(action: string): boolean {
    return this.#own.allowsSomeIndex(action) && this.#limit.allowsSomeIndex(action);
  }

  allowsIndex(action: string, name: string): boolean {
    return this.#own.allowsIndex(action, name) && this.#limit.allowsIndex(action, name);
  }

  isWider(name: string, other: string): boolean {
    return this.#own.isWider(name, other) || this.#limit.isWider(name, other);
  }

  restrictionOf(action: string, names: readonly string[]): Restriction | null {
    const own = this.#own.restrictionOf(action, names);
    const limit = this.#limit.restrictionOf(action, names);
    if (own === null || limit === null) return own ?? limit;
    return { queries: [...own.queries, ...limit.queries], fields: [...own.fields, ...limit.fields] };
  }
}

function grants(group: Group, action: string): boolean {
  return group.actions.some((set) => grantsAction(set, action));
}

function isNamed(group: Group, name: string): boolean {
  return group.names.some((pattern) => matchesName(pattern, name));
}
