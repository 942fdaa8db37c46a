// What APIs require of their callers.

/**
 * What a user must be allowed to do: `cluster:` for the whole node, `index:` on each index that the request names. An API that needs `none`
 * reaches no index, except through `RestContext.engineFor`.
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
