// Definitions of one kind: a list, and the selected one as JSON, which can be changed, saved and deleted.
import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { indentJson } from '../json-text.ts';
import { call, pathPart } from '../service.ts';
import { Icon } from '../shell/icons.tsx';
import { showToast } from '../shell/toast.tsx';
import { type Json, KINDS, type KindName, type Resource, type ResourceKind } from './resources.ts';
import { Simulation } from './simulation.tsx';

export function ResourceList({ kind: name }: { readonly kind: KindName }): JSX.Element {
  const kind: ResourceKind = KINDS[name];
  const [resources, setResources] = useState<readonly Resource[] | null>(null);
  const [error, setError] = useState<string | null>(null);
  /** Name of the selected definition; empty for a new one, null for none. */
  const [chosen, setChosen] = useState<string | null>(null);
  const reload = useCallback(() => {
    call<Json>('GET', kind.listPath).then(
      (answer) => {
        setResources(kind.read(answer));
        setError(null);
      },
      (failure: Error) => setError(failure.message),
    );
  }, [kind]);
  useEffect(reload, [kind]);
  const current = chosen === '' ? { name: '', body: kind.example } : resources?.find((resource) => resource.name === chosen);
  return (
    <div class="manage-parts">
      <section class="card manage-list" aria-label={kind.title}>
        <button type="button" class="primary" onClick={() => setChosen('')}>
          <Icon name="plus" />
          <span>New {kind.noun}</span>
        </button>
        {error !== null && (
          <p class="notice error" role="alert">
            {error}
          </p>
        )}
        {resources?.length === 0 && <p class="muted">There is none yet.</p>}
        <ul>
          {resources?.map((resource) => (
            <li key={resource.name}>
              <button type="button" aria-pressed={resource.name === chosen} onClick={() => setChosen(resource.name)}>
                {resource.name}
              </button>
            </li>
          ))}
        </ul>
      </section>
      {current && (
        <ResourceEditor
          key={current.name}
          kind={kind}
          resource={current}
          isPipeline={name === 'pipelines'}
          onChanged={(saved) => {
            setChosen(saved);
            reload();
          }}
        />
      )}
    </div>
  );
}

interface ResourceEditorProps {
  readonly kind: ResourceKind;
  readonly resource: Resource;
  readonly isPipeline: boolean;
  /** @param name  null if it was deleted */
  onChanged(name: string | null): void;
}

function ResourceEditor({ kind, resource, isPipeline, onChanged }: ResourceEditorProps): JSX.Element {
  const isNew = resource.name === '';
  const [name, setName] = useState(resource.name);
  const [text, setText] = useState(() => indentJson(JSON.stringify(resource.body)));
  const [failure, setFailure] = useState<string | null>(null);
  const [isSure, setSure] = useState(false);
  const body = parsedObject(text);
  const path = `${kind.path}${pathPart(name)}`;
  const save = (event: Event): void => {
    event.preventDefault();
    if (typeof body === 'string') return;
    call('PUT', path, body).then(
      () => {
        showToast(`${name} was saved`);
        setFailure(null);
        onChanged(name);
      },
      (error: Error) => setFailure(error.message),
    );
  };
  const remove = (): void => {
    if (!isSure) return setSure(true);
    call('DELETE', path).then(
      () => {
        showToast(`${name} was deleted`);
        onChanged(null);
      },
      (error: Error) => setFailure(error.message),
    );
  };
  return (
    <form class="card manage-editor" aria-label={isNew ? `New ${kind.noun}` : name} onSubmit={save}>
      <label class="field">
        <span>Name</span>
        <input value={name} required disabled={!isNew} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <label class="field">
        <span>Definition</span>
        <textarea
          class="mono"
          rows={Math.min(30, text.split('\n').length + 2)}
          value={text}
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {(failure !== null || typeof body === 'string') && (
        <p class="notice error" role="alert">
          {typeof body === 'string' ? body : failure}
        </p>
      )}
      <p class="form-actions">
        <button type="submit" class="primary" disabled={typeof body === 'string'}>
          Save
        </button>
        {!isNew && (
          <button type="button" class="plain danger" onClick={remove} onBlur={() => setSure(false)}>
            {isSure ? `Delete ${name} permanently?` : 'Delete'}
          </button>
        )}
        <span class="muted small mono manage-request">PUT {path}</span>
      </p>
      {isPipeline && typeof body !== 'string' && <Simulation pipeline={body} />}
    </form>
  );
}

/** Parses a JSON object; returns the reason as a string if `text` is not one. */
export function parsedObject(text: string): Json | string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'A definition must be a JSON object.';
    return value as Json;
  } catch (error) {
    return (error as Error).message;
  }
}
