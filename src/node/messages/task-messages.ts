// Messages about tasks, which main lists (src/node/main/tasks.ts) and readers run.
import type { TaskControl, TaskInfo, TaskResult, TaskStart } from '../../api/core/task-store.ts';

export type TaskRequest =
  | { readonly action: 'start'; readonly task: TaskStart }
  | { readonly action: 'report'; readonly id: number; readonly status: Readonly<Record<string, unknown>> }
  | { readonly action: 'finish'; readonly id: number; readonly result: TaskResult }
  | { readonly action: 'get'; readonly id: number }
  | { readonly action: 'list' }
  /** `ids` null for all running tasks. */
  | { readonly action: 'cancel'; readonly ids: readonly number[] | null }
  | { readonly action: 'rethrottle'; readonly id: number; readonly requestsPerSecond: number | null };

/** Results of the requests, by action. */
export interface TaskReplies {
  start: number;
  report: TaskControl;
  finish: undefined;
  get: TaskInfo | null;
  /** Running tasks. */
  list: TaskInfo[];
  /** The tasks that were running. */
  cancel: TaskInfo[];
  rethrottle: TaskInfo | null;
}
