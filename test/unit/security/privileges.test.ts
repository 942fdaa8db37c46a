// Privileges, roles and what they permit. Expected lists are those that Elasticsearch names in its security_exceptions.
import { describe, expect, test } from 'vitest';
import { clusterPrivilege, clusterPrivilegesGranting, isClusterAction } from '../../../src/security/cluster-privileges.ts';
import { indexPrivilege, indexPrivilegesGranting } from '../../../src/security/index-privileges.ts';
import { matchesName, matchesPrefix } from '../../../src/security/name-pattern.ts';
import { LimitedPermissions, RolePermissions } from '../../../src/security/permissions.ts';
import { parseRole, renderRole, SUPERUSER_ROLE } from '../../../src/security/role.ts';

test.each([
  ['indices:data/read/search', 'read,all'],
  ['indices:admin/create', 'create_index,manage,all'],
  ['indices:admin/auto_create', 'auto_configure,create_index,manage,all'],
  ['indices:data/write/bulk[s]', 'create_doc,create,delete,index,write,all'],
  ['indices:data/write/update', 'index,write,all'],
  ['indices:data/read/field_caps', 'view_index_metadata,manage,read,all'],
  ['indices:admin/delete', 'delete_index,manage,all'],
  ['indices:admin/refresh', 'maintenance,manage,all'],
  ['indices:monitor/stats', 'monitor,manage,all'],
])('%s is granted by [%s], the narrowest first', (action, privileges) => {
  expect(indexPrivilegesGranting(action).join(',')).toBe(privileges);
});

test.each([
  ['cluster:monitor/main', 'monitor,manage,all'],
  ['cluster:admin/settings/update', 'manage,all'],
  ['cluster:admin/xpack/security/user/put', 'manage_security,all'],
  ['cluster:admin/snapshot/get', 'monitor_snapshot,create_snapshot,manage,all'],
  ['indices:admin/index_template/put', 'manage_index_templates,manage,all'],
])('%s is granted by [%s], the narrowest first', (action, privileges) => {
  expect(clusterPrivilegesGranting(action).join(',')).toBe(privileges);
  expect(isClusterAction(action)).toBe(true);
});

test('a privilege may be a pattern of actions, other names are refused', () => {
  expect(indexPrivilege('indices:data/read/get').include).toEqual(['indices:data/read/get*']);
  expect(clusterPrivilege('cluster:monitor/*').include).toEqual(['cluster:monitor/*']);
  expect(() => indexPrivilege('reads')).toThrow(/^unknown index privilege \[reads\]. a privilege must be either one of the predefined/);
  expect(() => clusterPrivilege('constructor')).toThrow(/^unknown cluster privilege \[constructor\]/);
});

test('patterns match names and prefixes', () => {
  expect(['logs-*', 'l?gs-1', '*1', '*', 'logs-1'].map((pattern) => matchesName(pattern, 'logs-1'))).toEqual([
    true,
    true,
    true,
    true,
    true,
  ]);
  expect(['logs', '?', 'ogs-*', 'logs-1?', ''].map((pattern) => matchesName(pattern, 'logs-1'))).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
  expect(['a.*', 'a.b', 'a*', '*b', '?.x'].map((pattern) => matchesPrefix(pattern, 'a.'))).toEqual([true, true, true, true, true]);
  expect(['a', 'b.*', 'ab*'].map((pattern) => matchesPrefix(pattern, 'a.'))).toEqual([false, false, false]);
});

describe('parseRole', () => {
  test('reads what renderRole writes', () => {
    const body = {
      cluster: ['monitor'],
      indices: [
        { names: 'logs-*', privileges: 'read', field_security: { grant: ['a*'], except: ['ab'] }, query: { term: { x: 1 } } },
        { names: ['b'], privileges: ['all'], allow_restricted_indices: true },
      ],
      run_as: ['bob'],
      metadata: { team: 'x' },
      applications: [],
    };
    const role = parseRole('r', body);
    expect(role.indices[0]).toMatchObject({ names: ['logs-*'], privileges: ['read'], query: '{"term":{"x":1}}' });
    expect(parseRole('r', renderRole(role))).toEqual(role);
  });

  test.each([
    [{ clusters: [] }, 'failed to parse role [r]. unexpected field [clusters]'],
    [{ indices: [{ names: ['a'] }] }, 'failed to parse indices privileges for role [r]. missing required [privileges] field'],
    [
      { indices: [{ names: ['a'], privileges: ['read'], querry: '' }] },
      'failed to parse indices privileges for role [r]. unexpected field [querry]',
    ],
    [{ indices: [{ names: ['a'], privileges: ['read'], field_security: { except: ['x'] } }] }, 'requires [grant] if [except] is given'],
    [
      { indices: [{ names: ['a'], privileges: ['read'], field_security: { grant: ['a*'], except: ['x'] } }] },
      '[x] is not a subset of [a*]',
    ],
    [
      { cluster: ['x'], indices: [{ names: ['a'], privileges: ['y'] }] },
      /1: unknown cluster privilege \[x\].*2: unknown index privilege \[y\]/,
    ],
    [{ indices: [{ names: ['/a.*'], privileges: ['read'] }] }, 'invalid pattern [/a.*]'],
    [{ indices: [{ names: ['/a(/'], privileges: ['read'] }] }, 'invalid pattern [/a(/]: unexpected end-of-string'],
    [{ applications: [{ application: 'kibana' }] }, 'field [applications] is not supported'],
    [[], 'expected an object'],
    [{ cluster: [1] }, 'field [cluster] must be a string or a list'],
  ])('refuses %j', (body, message) => {
    expect(() => parseRole('r', body)).toThrow(message);
  });
});

describe('permissions', () => {
  const role = parseRole('r', {
    cluster: ['manage'],
    indices: [
      { names: ['logs-*'], privileges: ['read'], query: '{"term":{"a":1}}', field_security: { grant: ['a'] } },
      { names: ['logs-1'], privileges: ['write', 'read'], field_security: { grant: ['b'] } },
    ],
  });
  const permissions = new RolePermissions([role]);

  test('roles add up, by action and name', () => {
    expect(permissions.allowsIndex('indices:data/read/search', 'logs-2')).toBe(true);
    expect(permissions.allowsIndex('indices:data/write/index', 'logs-2')).toBe(false);
    expect(permissions.allowsIndex('indices:data/write/index', 'logs-1')).toBe(true);
    expect(permissions.allowsSomeIndex('indices:admin/delete')).toBe(false);
    expect(permissions.allowsCluster('cluster:admin/settings/update')).toBe(true);
    expect(permissions.allowsCluster('cluster:admin/xpack/security/user/put')).toBe(false);
  });

  test('a document or field is seen if one role shows it', () => {
    expect(permissions.restrictionOf('indices:data/read/search', ['logs-2'])).toEqual({
      queries: [['{"term":{"a":1}}']],
      fields: [[{ grant: ['a'], except: [] }]],
    });
    expect(permissions.restrictionOf('indices:data/read/search', ['logs-1'])).toEqual({
      queries: [],
      fields: [
        [
          { grant: ['a'], except: [] },
          { grant: ['b'], except: [] },
        ],
      ],
    });
    expect(new RolePermissions([role, SUPERUSER_ROLE]).restrictionOf('indices:data/read/search', ['logs-2'])).toBeNull();
  });

  test('an API key has what both its own roles and its owner have', () => {
    const key = new RolePermissions([parseRole('k', { indices: [{ names: ['*'], privileges: ['read'], query: '{"term":{"k":2}}' }] })]);
    const limited = new LimitedPermissions(key, permissions);
    expect(limited.allowsCluster('cluster:monitor/main')).toBe(false);
    expect(limited.allowsIndex('indices:data/read/get', 'secret')).toBe(false);
    expect(limited.restrictionOf('indices:data/read/get', ['logs-2'])?.queries).toEqual([['{"term":{"k":2}}'], ['{"term":{"a":1}}']]);
  });
});
