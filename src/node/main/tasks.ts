// The task list of the node, held by main: operations that continue after the response, with their progress and, for a while, their
// results. The http worker that runs a task reports to main; the reply tells it whether to stop and how fast to run. Any worker can query
// the list.
//   start(task) ──► id     report(id, status) ──► control     finish(id, result)     get(id)   list()   cancel(ids)   rethrottle(id, rate)
import type { TaskControl, TaskInfo, TaskResult, TaskStart } from '../../api/core/task-store.ts';
import type { TaskReplies, TaskRequest } from '../messages/task-messages.ts';

/** Number of finished tasks to remember. */
const MAX_FINISHED = 1000;

type Task = { -readonly [Key in keyof TaskInfo]: TaskInfo[Key] };

export class Tasks {
  readonly #nowMs: () => number;
  readonly #tasks = new Map<number, Task>();
  /** Called when a task that `list` has added is cancelled. */
  readonly #cancels = new Map<number, () => void>();
  #lastId = 0;

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
  }

  handle(request: TaskRequest): TaskReplies[keyof TaskReplies] {
    switch (request.action) {
      case 'start':
        return this.#start(request.task);
      case 'report':
        return this.#report(request.id, request.status);
      case 'finish':
        this.#finish(request.id, request.result);
        return undefined;
      case 'get':
        return this.#tasks.get(request.id) ?? null;
      case 'list':
        return this.#running();
      case 'cancel':
        return this.#cancel(request.ids);
      case 'rethrottle':
        return this.#rethrottle(request.id, request.requestsPerSecond);
    }
  }

  /** Lists work of main itself. @returns removes it; it leaves no result */
  list(task: TaskStart, onCancel: () => void): () => void {
    const id = this.#start(task);
    this.#cancels.set(id, onCancel);
    return () => {
      this.#tasks.delete(id);
      this.#cancels.delete(id);
    };
  }

  #running(): Task[] {
    return [...this.#tasks.values()].filter((task) => task.result === null);
  }

  #start(task: TaskStart): number {
    const id = ++this.#lastId;
    this.#tasks.set(id, { ...task, id, startMs: this.#nowMs(), endMs: null, status: {}, isCancelled: false, result: null });
    const finished = [...this.#tasks.values()].filter(({ result }) => result !== null);
    for (const { id: old } of finished.slice(0, Math.max(0, finished.length - MAX_FINISHED))) this.#tasks.delete(old);
    return id;
  }

  #report(id: number, status: Readonly<Record<string, unknown>>): TaskControl {
    const task = this.#tasks.get(id);
    if (!task) return { isCancelled: true, requestsPerSecond: null };
    task.status = status;
    return { isCancelled: task.isCancelled, requestsPerSecond: task.requestsPerSecond };
  }

  #finish(id: number, result: TaskResult): void {
    const task = this.#tasks.get(id);
    if (!task) return;
    task.result = result;
    task.endMs = this.#nowMs();
    if (result.status) task.status = result.status;
  }

  #cancel(ids: readonly number[] | null): Task[] {
    const chosen = this.#running().filter(({ id }) => ids === null || ids.includes(id));
    for (const task of chosen) task.isCancelled = true;
    // The reply shows the tasks as they were.
    for (const { id } of chosen) this.#cancels.get(id)?.();
    return chosen;
  }

  #rethrottle(id: number, requestsPerSecond: number | null): Task | null {
    const task = this.#tasks.get(id);
    if (!task || task.result !== null) return null;
    task.requestsPerSecond = requestsPerSecond;
    return task;
  }
}
