// Interface of the task list: operations that continue after the response (`wait_for_completion=false`).
import type { JsonObject } from '../../common/json/json-value.ts';
import type { ApiErrorData } from '../../errors/api-error.ts';

/** Description of a task, given when it starts. */
export interface TaskStart {
  /** Action name as in Elasticsearch, for example `indices:data/write/reindex`. */
  readonly action: string;
  readonly description: string;
  readonly headers: Readonly<Record<string, string>>;
  /** null: not throttled. */
  readonly requestsPerSecond: number | null;
  /** The user or API key that started it; absent without users. */
  readonly owner?: string;
}

export interface TaskResult {
  /** Final counts; null if the last reported ones are final. */
  readonly status: JsonObject | null;
  readonly response: JsonObject | null;
  readonly error: ApiErrorData | null;
}

export interface TaskInfo extends TaskStart {
  readonly id: number;
  readonly startMs: number;
  readonly endMs: number | null;
  readonly status: JsonObject;
  readonly isCancelled: boolean;
  /** null while the task runs. */
  readonly result: TaskResult | null;
}

/** Reply to a progress report: instructions for the rest of the task. */
export interface TaskControl {
  readonly isCancelled: boolean;
  readonly requestsPerSecond: number | null;
}

/** Tasks of the whole node. */
export interface TaskStore {
  /** @returns the new task's id */
  start(task: TaskStart): Promise<number>;
  report(id: number, status: JsonObject): Promise<TaskControl>;
  finish(id: number, result: TaskResult): Promise<void>;
  get(id: number): Promise<TaskInfo | null>;
  /** Running tasks. */
  list(): Promise<TaskInfo[]>;
  /** @param ids  null for all. @returns the tasks that were running */
  cancel(ids: readonly number[] | null): Promise<TaskInfo[]>;
  /** @returns null if no such task runs */
  rethrottle(id: number, requestsPerSecond: number | null): Promise<TaskInfo | null>;
}
