// Snapshots of a repository with state and size; they can be created, restored and deleted.
import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { countText } from '../format.ts';
import { call, pathPart } from '../service.ts';
import { showToast } from '../shell/toast.tsx';

interface Snapshot {
  readonly snapshot: string;
  readonly state: string;
  readonly indices: readonly string[];
  readonly start_time: string;
  readonly failures?: readonly unknown[];
}

const POLL_MS = 3000;
const STATES: Readonly<Record<string, string>> = { SUCCESS: 'good', IN_PROGRESS: '', PARTIAL: 'warn', FAILED: 'bad' };

export function Snapshots(): JSX.Element {
  const [repositories, setRepositories] = useState<readonly string[] | null>(null);
  const [chosen, setChosen] = useState('');
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    call<Record<string, unknown>>('GET', '/_snapshot').then(
      (found) => {
        const names = Object.keys(found).sort();
        setRepositories(names);
        setChosen(names[0] ?? '');
      },
      (failure: Error) => setError(failure.message),
    );
  }, []);
  return (
    <section class="card snapshots" aria-label="Snapshots">
      {error !== null && <p class="notice error">{error}</p>}
      {repositories?.length === 0 && <p class="muted">Snapshots need a repository: make one first.</p>}
      {repositories && repositories.length > 0 && (
        <label class="field">
          <span>Repository</span>
          <select value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
            {repositories.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      {chosen !== '' && <RepositorySnapshots key={chosen} repository={chosen} />}
    </section>
  );
}

function RepositorySnapshots({ repository }: { readonly repository: string }): JSX.Element {
  const [snapshots, setSnapshots] = useState<readonly Snapshot[] | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [name, setName] = useState('');
  const path = `/_snapshot/${pathPart(repository)}`;
  const reload = useCallback(() => {
    call<{ snapshots: Snapshot[] }>('GET', `${path}/_all`).then(
      (found) => setSnapshots(found.snapshots.toReversed()),
      (failure: Error) => setError(failure.message),
    );
  }, [path]);
  useEffect(() => {
    reload();
    const timer = setInterval(reload, POLL_MS);
    return () => clearInterval(timer);
  }, [reload]);
  const act = (method: string, target: string, done: string): void => {
    call(method, target).then(
      () => {
        showToast(done);
        setError(null);
        reload();
      },
      (failure: Error) => setError(failure.message),
    );
  };
  const take = (event: Event): void => {
    event.preventDefault();
    act('PUT', `${path}/${pathPart(name)}`, `${name} is being taken`);
    setName('');
  };
  return (
    <>
      <form class="form-actions" aria-label="New snapshot" onSubmit={take}>
        <input
          value={name}
          required
          placeholder="name of a new snapshot"
          aria-label="Name of a new snapshot"
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button type="submit" class="primary">
          Take
        </button>
      </form>
      {error !== null && (
        <p class="notice error" role="alert">
          {error}
        </p>
      )}
      {snapshots?.length === 0 && <p class="muted">The repository has no snapshots.</p>}
      <ul class="rows">
        {snapshots?.map(({ snapshot, state, indices, start_time: start }) => (
          <li key={snapshot}>
            <b>{snapshot}</b> <span class={`badge ${STATES[state] ?? ''}`}>{state}</span>{' '}
            <span class="muted" title={indices.join(', ')}>
              {countText(indices.length, 'index', 'indices')}, {start.slice(0, 16).replace('T', ' ')}
            </span>
            <span class="form-actions">
              <SureButton
                label="Restore"
                question="Restore its indices?"
                onSure={() => act('POST', `${path}/${pathPart(snapshot)}/_restore`, `${snapshot} is being restored`)}
              />
              <SureButton
                label="Delete"
                question="Delete it permanently?"
                onSure={() => act('DELETE', `${path}/${pathPart(snapshot)}`, `${snapshot} was deleted`)}
              />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** A button that asks for confirmation. */
export function SureButton({
  label,
  question,
  onSure,
}: {
  readonly label: string;
  readonly question: string;
  onSure(): void;
}): JSX.Element {
  const [isSure, setSure] = useState(false);
  const click = (): void => {
    setSure(!isSure);
    if (isSure) onSure();
  };
  return (
    <button type="button" class={`plain ${isSure ? 'danger' : ''}`} onClick={click} onBlur={() => setSure(false)}>
      {isSure ? question : label}
    </button>
  );
}
