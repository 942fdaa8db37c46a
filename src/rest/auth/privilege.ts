// Privileges that APIs require.

/**
 * Privilege that a caller needs: `cluster:` on the whole node, `index:` on each index that the request names. An API that needs `none` reaches no
 * index, except through `RestContext.engineFor`.
 */
export type Privilege =
  | 'none'
  | 'cluster:monitor'
  | 'cluster:manage'
  | 'index:read'
  | 'index:write'
  | 'index:create'
  | 'index:delete'
  | 'index:manage'
  | 'index:metadata';
