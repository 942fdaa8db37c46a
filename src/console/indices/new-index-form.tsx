// A form for a new index, with a preview of the request that it sends.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { loadCatalog } from '../catalog.ts';
import { call, pathPart } from '../service.ts';
import { Icon } from '../shell/icons.tsx';

interface NewField {
  readonly name: string;
  readonly type: string;
}

export function NewIndexForm({ onCreated }: { onCreated(name: string): void }): JSX.Element {
  const [name, setName] = useState('');
  const [shards, setShards] = useState(1);
  const [replicas, setReplicas] = useState(0);
  const [fields, setFields] = useState<readonly NewField[]>([]);
  const [error, setError] = useState<string | null>(null);
  const types = useTypes();
  const named = fields.filter((field) => field.name.trim() !== '');
  const body = {
    settings: { number_of_shards: shards, number_of_replicas: replicas },
    ...(named.length === 0
      ? {}
      : { mappings: { properties: Object.fromEntries(named.map((field) => [field.name.trim(), { type: field.type }])) } }),
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    call('PUT', `/${pathPart(name)}`, body).then(
      () => onCreated(name),
      (failure: Error) => setError(failure.message),
    );
  };
  const change = (at: number, changes: Partial<NewField>): void =>
    setFields(fields.map((field, i) => (i === at ? { ...field, ...changes } : field)));
  return (
    <form class="card new-index" aria-label="New index" onSubmit={submit}>
      <div class="new-index-fields">
        <label class="field">
          <span>Name</span>
          <input value={name} required onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <label class="field">
          <span>Shards</span>
          <input type="number" min="1" max="1024" value={shards} onInput={(event) => setShards(event.currentTarget.valueAsNumber || 1)} />
        </label>
        <label class="field">
          <span>Replicas</span>
          <input
            type="number"
            min="0"
            max="100"
            value={replicas}
            onInput={(event) => setReplicas(event.currentTarget.valueAsNumber || 0)}
          />
        </label>
        {fields.map((field, i) => (
          <div key={i} class="new-field">
            <input
              aria-label={`Name of field ${i + 1}`}
              placeholder="field"
              value={field.name}
              onInput={(event) => change(i, { name: event.currentTarget.value })}
            />
            <select
              aria-label={`Type of field ${i + 1}`}
              value={field.type}
              onChange={(event) => change(i, { type: event.currentTarget.value })}
            >
              {types.map((type) => (
                <option key={type} value={type}>
                  {type}
                </option>
              ))}
            </select>
            <button
              type="button"
              class="tool"
              aria-label={`Remove field ${i + 1}`}
              onClick={() => setFields(fields.filter((_, at) => at !== i))}
            >
              <Icon name="close" />
            </button>
          </div>
        ))}
        <p class="form-actions">
          <button type="button" class="plain" onClick={() => setFields([...fields, { name: '', type: 'keyword' }])}>
            Add field
          </button>
          <button type="submit" class="primary">
            Create
          </button>
        </p>
        {error !== null && (
          <p class="notice error" role="alert">
            {error}
          </p>
        )}
      </div>
      <pre class="mono">{`PUT /${name}\n${JSON.stringify(body, null, 2)}`}</pre>
    </form>
  );
}

function useTypes(): readonly string[] {
  const [types, setTypes] = useState<readonly string[]>(['keyword', 'text', 'long', 'double', 'date', 'boolean']);
  useEffect(() => {
    loadCatalog().then(
      ({ fieldTypes }) =>
        setTypes(
          Object.keys(fieldTypes)
            .filter((type) => type !== 'alias')
            .sort(),
        ),
      () => {},
    );
  }, []);
  return types;
}
