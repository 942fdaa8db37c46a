// API keys: the list, creation (the secret is shown once), and invalidation.
import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { call } from '../service.ts';
import { copyText, showToast } from '../shell/toast.tsx';
import { parsedObject } from './resource-list.tsx';
import { SureButton } from './snapshots.tsx';

interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly creation: number;
  readonly expiration?: number;
  readonly invalidated: boolean;
}

const ROLES = '{\n  "reader": { "indices": [{ "names": ["*"], "privileges": ["read"] }] }\n}';
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export function ApiKeys(): JSX.Element {
  const [keys, setKeys] = useState<readonly ApiKey[] | null>(null);
  const [error, setError] = useState<string | null>(null);
  const reload = useCallback(() => {
    call<{ api_keys: ApiKey[] }>('GET', '/_security/api_key').then(
      (found) => setKeys(found.api_keys.filter(({ invalidated }) => !invalidated)),
      (failure: Error) => setError(failure.message),
    );
  }, []);
  useEffect(reload, []);
  const invalidate = (id: string): void => {
    call('DELETE', '/_security/api_key', { ids: [id] }).then(
      () => {
        showToast('The key is no longer valid');
        reload();
      },
      (failure: Error) => setError(failure.message),
    );
  };
  return (
    <section class="card snapshots" aria-label="API keys">
      <NewKey onCreated={reload} />
      {error !== null && (
        <p class="notice error" role="alert">
          {error}
        </p>
      )}
      {keys?.length === 0 && <p class="muted">There are no API keys.</p>}
      <ul class="rows">
        {keys?.map(({ id, name, username, creation, expiration }) => (
          <li key={id}>
            <b>{name}</b> <span class="muted mono small">{id}</span>{' '}
            <span class="muted">
              of {username}, since {dayOf(creation)}
              {expiration === undefined ? '' : `, until ${dayOf(expiration)}`}
            </span>
            <span class="form-actions">
              <SureButton label="Invalidate" question="Invalidate it permanently?" onSure={() => invalidate(id)} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function NewKey({ onCreated }: { onCreated(): void }): JSX.Element {
  const [name, setName] = useState('');
  const [expiration, setExpiration] = useState('');
  const [roles, setRoles] = useState(ROLES);
  const [failure, setFailure] = useState<string | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const create = (event: Event): void => {
    event.preventDefault();
    const descriptors = parsedObject(roles);
    if (typeof descriptors === 'string') return setFailure(descriptors);
    const body = { name, role_descriptors: descriptors, ...(expiration === '' ? {} : { expiration }) };
    call<{ encoded: string }>('POST', '/_security/api_key', body).then(
      ({ encoded }) => {
        setSecret(encoded);
        setFailure(null);
        setName('');
        onCreated();
      },
      (error: Error) => setFailure(error.message),
    );
  };
  return (
    <form class="new-key" aria-label="New API key" onSubmit={create}>
      <label class="field">
        <span>Name</span>
        <input value={name} required onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <label class="field">
        <span>Valid for</span>
        <input value={expiration} placeholder="30d; empty: never expires" onInput={(event) => setExpiration(event.currentTarget.value)} />
      </label>
      <label class="field new-key-roles">
        <span>Roles that limit it</span>
        <textarea class="mono" rows={4} value={roles} spellcheck={false} onInput={(event) => setRoles(event.currentTarget.value)} />
      </label>
      <p class="form-actions">
        <button type="submit" class="primary">
          New API key
        </button>
      </p>
      {failure !== null && (
        <p class="notice error" role="alert">
          {failure}
        </p>
      )}
      {secret !== null && (
        <div class="notice secret">
          <p>
            <b>The key is shown only now:</b> <code>{secret}</code>
          </p>
          <p class="form-actions">
            <button type="button" class="plain" onClick={() => void copyText(`ApiKey ${secret}`, 'Header')}>
              Copy as Authorization header
            </button>
          </p>
        </div>
      )}
    </form>
  );
}
