// The indices page: the list of indices, the mapping, settings and segments of the selected one, running tasks, and a form for a new index.
import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { useCell } from '../cell.ts';
import { bytesText, countText, msText, numberText } from '../format.ts';
import { ImportPanel } from '../import/import-panel.tsx';
import { call, pathPart } from '../service.ts';
import { Icon } from '../shell/icons.tsx';
import { address, addressHash, replaceParams } from '../shell/router.ts';
import { showToast } from '../shell/toast.tsx';
import { IndexDetails } from './index-details.tsx';
import { type IndexRow, indexRows } from './index-model.ts';
import { NewIndexForm } from './new-index-form.tsx';
import { SlowLogList } from './slow-log-list.tsx';

type Cat = ReadonlyArray<Readonly<Record<string, string | null>>>;

export function IndicesPage(): JSX.Element {
  const { params } = useCell(address);
  const [rows, setRows] = useState<readonly IndexRow[] | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [open, setOpen] = useState<'import' | 'create' | null>(null);
  const { dropped, isDropping, handlers } = useDrop(() => setOpen('import'));
  const reload = useCallback(() => {
    call<Cat>('GET', '/_cat/indices?format=json&bytes=b&expand_wildcards=all&s=index').then(
      (found) => {
        setRows(indexRows(found));
        setError(null);
      },
      (failure: Error) => setError(failure.message),
    );
  }, []);
  useEffect(reload, []);
  const chosen = rows?.find(({ name }) => name === params.index);
  return (
    <div class={`page indices ${isDropping ? 'is-dropping' : ''}`} {...handlers}>
      <header class="page-head with-actions">
        <h1>Indices</h1>
        <p class="muted">
          {rows &&
            `${countText(rows.length, 'index', 'indices')}, ${countText(
              rows.reduce((sum, { documents }) => sum + documents, 0),
              'document',
            )}, ${bytesText(rows.reduce((sum, { bytes }) => sum + bytes, 0))}`}
        </p>
        <div class="actions">
          <button
            type="button"
            class="plain"
            aria-expanded={open === 'import'}
            onClick={() => setOpen(open === 'import' ? null : 'import')}
          >
            <Icon name="upload" />
            <span>Import</span>
          </button>
          <button
            type="button"
            class="primary"
            aria-expanded={open === 'create'}
            onClick={() => setOpen(open === 'create' ? null : 'create')}
          >
            <Icon name="plus" />
            <span>New index</span>
          </button>
        </div>
      </header>
      {open === 'import' && <ImportPanel dropped={dropped} onImported={reload} />}
      {open === 'create' && (
        <NewIndexForm
          onCreated={(name) => {
            setOpen(null);
            replaceParams({ index: name });
            reload();
          }}
        />
      )}
      {error !== null && (
        <p class="notice error" role="alert">
          {error}
        </p>
      )}
      {rows && rows.length > 0 && <IndexTable rows={rows} chosen={params.index ?? null} />}
      {rows && rows.length === 0 && <p class="muted">There is no index yet.</p>}
      {chosen && (
        <IndexDetails
          key={chosen.name}
          index={chosen}
          onDeleted={() => {
            replaceParams({});
            reload();
          }}
        />
      )}
      <Tasks />
      <SlowLogList />
    </div>
  );
}

interface Drop {
  readonly dropped: File | null;
  readonly isDropping: boolean;
  readonly handlers: Readonly<Record<'onDragOver' | 'onDragLeave' | 'onDrop', (event: DragEvent) => void>>;
}

/** Handles a file that is dropped anywhere on the page. */
function useDrop(onFile: () => void): Drop {
  const [dropped, setDropped] = useState<File | null>(null);
  const [isDropping, setDropping] = useState(false);
  const onDragOver = (event: DragEvent): void => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    setDropping(true);
  };
  const onDrop = (event: DragEvent): void => {
    setDropping(false);
    const file = event.dataTransfer?.files[0];
    if (file === undefined) return;
    event.preventDefault();
    setDropped(file);
    onFile();
  };
  return { dropped, isDropping, handlers: { onDragOver, onDragLeave: () => setDropping(false), onDrop } };
}

const HEALTH_KINDS: Readonly<Record<string, string>> = { green: 'good', yellow: 'warn', red: 'bad' };

function IndexTable({ rows, chosen }: { readonly rows: readonly IndexRow[]; readonly chosen: string | null }): JSX.Element {
  const largest = Math.max(...rows.map(({ bytes }) => bytes), 1);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="card table-scroll index-list" aria-label="List of indices" tabIndex={0}>
      <table class="data-table">
        <thead>
          <tr>
            {['Index', 'Health', 'Documents', 'Deleted', 'Size', 'Shards'].map((title) => (
              <th key={title} scope="col" class={title === 'Index' || title === 'Health' ? '' : 'number'}>
                <span>{title}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, health, status, documents, deleted, bytes, shards, replicas }) => (
            <tr key={name} class={name === chosen ? 'chosen' : ''}>
              <td>
                <a href={addressHash('indices', { index: name })} aria-current={name === chosen ? 'true' : undefined}>
                  {name}
                </a>
              </td>
              <td>
                <span class={`badge ${HEALTH_KINDS[health] ?? ''}`}>{status === 'close' ? 'closed' : health}</span>
              </td>
              <td class="number">{numberText(documents)}</td>
              <td class="number">{numberText(deleted)}</td>
              <td class="number">
                <span class="size-cell">
                  <span class="size-bar" style={{ width: `${(bytes / largest) * 60}px` }} />
                  {bytesText(bytes)}
                </span>
              </td>
              <td class="number">
                {shards} × {replicas + 1}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface Task {
  readonly node: string;
  readonly id: number;
  readonly action: string;
  readonly description?: string;
  readonly running_time_in_nanos: number;
  readonly cancellable: boolean;
}

const TASKS_MS = 3000;

function Tasks(): JSX.Element {
  const [tasks, setTasks] = useState<readonly Task[] | null>(null);
  useEffect(() => {
    const load = (): void => {
      call<{ tasks: Task[] }>('GET', '/_tasks?detailed&group_by=none').then(
        (found) => setTasks(found.tasks.filter(({ action }) => !action.startsWith('cluster:monitor/tasks'))),
        () => setTasks([]),
      );
    };
    load();
    const timer = setInterval(load, TASKS_MS);
    return () => clearInterval(timer);
  }, []);
  const cancel = (task: Task): void => {
    call('POST', `/_tasks/${pathPart(`${task.node}:${task.id}`)}/_cancel`).then(
      () => showToast('The task is being cancelled'),
      (error: Error) => showToast(error.message),
    );
  };
  return (
    <section class="card tasks" aria-label="Tasks">
      <h2>Tasks</h2>
      {tasks?.length === 0 && <p class="muted">Nothing runs at the moment.</p>}
      {tasks?.map((task) => (
        <p key={`${task.node}:${task.id}`}>
          <b>{task.action}</b> <span class="muted">{msText(task.running_time_in_nanos / 1e6)}</span>{' '}
          <span class="mono">{task.description}</span>
          {task.cancellable && (
            <button type="button" class="plain" onClick={() => cancel(task)}>
              Cancel
            </button>
          )}
        </p>
      ))}
    </section>
  );
}
