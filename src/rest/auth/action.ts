// Actions that APIs carry out, by the names of Elasticsearch. Privileges grant them: src/security.

/**
 * The action that a caller needs to be granted: `cluster:` on the cluster, `indices:` on each index and alias that the request names. Index
 * templates belong to the cluster although their actions begin with `indices:`. An API that needs `none` is open to every user.
 */
export type Action = 'none' | `cluster:${'monitor' | 'admin'}/${string}` | `indices:${'data' | 'admin' | 'monitor'}/${string}`;

/** Actions that are checked in addition to those of APIs. */
export const WRITE_ACTIONS = {
  /** All writes of documents, whichever API sends them. */
  bulk: 'indices:data/write/bulk[s]',
  index: 'indices:data/write/index:op_type/index',
  create: 'indices:data/write/index:op_type/create',
  update: 'indices:data/write/update',
  delete: 'indices:data/write/delete',
} as const satisfies Record<string, Action>;

/** Creating an index by writing to it. */
export const AUTO_CREATE: Action = 'indices:admin/auto_create';

/** Adding, changing and removing aliases. */
export const CHANGE_ALIASES: Action = 'indices:admin/aliases';

export const DELETE_INDEX: Action = 'indices:admin/delete';

export const SEARCH: Action = 'indices:data/read/search';

/** Responses about the cluster list the indices on which it is granted. */
export const SHOWN_INDICES: Action = 'indices:monitor/stats';

/** Copying an index into another one. */
export const RESIZE: Action = 'indices:admin/resize';

/** Users who may cancel tasks of others also see them. */
export const CANCEL_TASKS: Action = 'cluster:admin/tasks/cancel';
