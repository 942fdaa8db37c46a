// One index: its mapping as a tree, its settings with an editor that shows the changes before they are sent, its segments drawn to scale,
// and its aliases.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { bytesText, countText, numberText } from '../format.ts';
import type { MappingProperties } from '../mapping-types.ts';
import { call, pathPart } from '../service.ts';
import { Icon } from '../shell/icons.tsx';
import { go } from '../shell/router.ts';
import { showToast } from '../shell/toast.tsx';
import { flatSettings, type IndexRow, isFixedSetting, type SegmentInfo, segmentsOf, settingChanges } from './index-model.ts';
import { MappingView } from './mapping-view.tsx';

export interface IndexDetailsProps {
  readonly index: IndexRow;
  onDeleted(): void;
}

const VIEWS = ['Mapping', 'Settings', 'Segments', 'Aliases'] as const;

export function IndexDetails({ index, onDeleted }: IndexDetailsProps): JSX.Element {
  const [view, setView] = useState<(typeof VIEWS)[number]>('Mapping');
  const [isSure, setSure] = useState(false);
  const remove = (): void => {
    if (!isSure) return setSure(true);
    call('DELETE', `/${pathPart(index.name)}`).then(
      () => {
        showToast(`${index.name} was deleted`);
        onDeleted();
      },
      (error: Error) => showToast(error.message),
    );
  };
  return (
    <section class="card index-details" aria-label={`Index ${index.name}`}>
      <div class="index-head">
        <h2>{index.name}</h2>
        <button type="button" class="plain" onClick={() => go('discover', { index: index.name })}>
          Discover
        </button>
        <button type="button" class="plain danger" onClick={remove} onBlur={() => setSure(false)}>
          {isSure ? `Delete ${countText(index.documents, 'document')} permanently?` : 'Delete'}
        </button>
      </div>
      <div class="tabs" role="tablist" aria-label={`Parts of ${index.name}`}>
        {VIEWS.map((name) => (
          <button key={name} type="button" role="tab" aria-selected={name === view} onClick={() => setView(name)}>
            {name}
          </button>
        ))}
      </div>
      <div class="index-view">
        {view === 'Mapping' && (
          <Loaded<Record<string, { mappings: { properties?: MappingProperties } }>> path={`/${pathPart(index.name)}/_mapping`}>
            {(answer) => (
              <MappingView name={index.name} documents={index.documents} properties={Object.values(answer)[0]?.mappings.properties ?? {}} />
            )}
          </Loaded>
        )}
        {view === 'Settings' && <SettingsView name={index.name} />}
        {view === 'Segments' && <SegmentsView name={index.name} />}
        {view === 'Aliases' && <AliasesView name={index.name} />}
      </div>
    </section>
  );
}

/** Shows the response to a request, or a message until it arrives. */
function Loaded<T>({ path, children }: { readonly path: string; children(value: T): JSX.Element }): JSX.Element {
  const [state, setState] = useState<{ readonly value: T | null; readonly error: string | null }>({ value: null, error: null });
  useEffect(() => {
    const controller = new AbortController();
    call<T>('GET', path, undefined, { signal: controller.signal }).then(
      (value) => setState({ value, error: null }),
      (error: Error) => !controller.signal.aborted && setState({ value: null, error: error.message }),
    );
    return () => controller.abort();
  }, [path]);
  if (state.error !== null) return <p class="notice error">{state.error}</p>;
  return state.value === null ? <p class="muted">Loading…</p> : children(state.value);
}

function SettingsView({ name }: { readonly name: string }): JSX.Element {
  const [version, setVersion] = useState(0);
  return (
    <Loaded<Record<string, { settings: Record<string, unknown> }>> key={version} path={`/${pathPart(name)}/_settings?flat_settings=true`}>
      {(answer) => (
        <SettingsEditor name={name} settings={Object.values(answer)[0]?.settings ?? {}} onSaved={() => setVersion(version + 1)} />
      )}
    </Loaded>
  );
}

interface SettingsEditorProps {
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
  onSaved(): void;
}

function SettingsEditor({ name, settings, onSaved }: SettingsEditorProps): JSX.Element {
  const editable = Object.fromEntries(Object.entries(settings).filter(([setting]) => !isFixedSetting(setting)));
  const [text, setText] = useState(JSON.stringify(editable, null, 2));
  const [failure, setFailure] = useState<string | null>(null);
  const changes = changesOf(editable, text);
  const save = (): void => {
    if (typeof changes === 'string') return;
    call('PUT', `/${pathPart(name)}/_settings`, Object.fromEntries(changes.map(({ name: setting, after }) => [setting, after]))).then(
      () => {
        showToast('Settings saved');
        onSaved();
      },
      (error: Error) => setFailure(error.message),
    );
  };
  return (
    <div class="settings-editor">
      <label class="field">
        <span>Settings that can be changed</span>
        <textarea
          class="mono"
          rows={Math.min(18, text.split('\n').length + 1)}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          spellcheck={false}
        />
      </label>
      <div class="settings-changes">
        <h3>What is sent</h3>
        {typeof changes === 'string' ? (
          <p class="notice error">{changes}</p>
        ) : changes.length === 0 ? (
          <p class="muted">Nothing has changed. A setting that is removed returns to its default.</p>
        ) : (
          <>
            <ul class="diff mono">
              {changes.map(({ name: setting, before, after }) => (
                <li key={setting}>
                  {before !== null && <del>{`${setting}: ${JSON.stringify(before)}`}</del>}
                  <ins>{`${setting}: ${after === null ? 'default' : JSON.stringify(after)}`}</ins>
                </li>
              ))}
            </ul>
            <button type="button" class="primary" onClick={save}>
              Save {countText(changes.length, 'change')}
            </button>
          </>
        )}
        {failure !== null && (
          <p class="notice error" role="alert">
            {failure}
          </p>
        )}
        <details>
          <summary class="muted">Settings that cannot be changed</summary>
          <dl class="fixed-settings mono">
            {Object.entries(settings)
              .filter(([setting]) => isFixedSetting(setting))
              .map(([setting, value]) => (
                <div key={setting}>
                  <dt>{setting}</dt>
                  <dd>{String(value)}</dd>
                </div>
              ))}
          </dl>
        </details>
      </div>
    </div>
  );
}

/** Settings of a body, or a string with the reason why the text is not one. */
function changesOf(before: Readonly<Record<string, unknown>>, text: string): ReturnType<typeof settingChanges> | string {
  try {
    const given: unknown = JSON.parse(text);
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return 'Settings are an object.';
    return settingChanges(before, flatSettings(given as Record<string, unknown>));
  } catch (error) {
    return (error as Error).message;
  }
}

function SegmentsView({ name }: { readonly name: string }): JSX.Element {
  return (
    <Loaded<{ indices: Record<string, { shards: Parameters<typeof segmentsOf>[0] }> }> path={`/${pathPart(name)}/_segments`}>
      {({ indices }) => {
        const segments = segmentsOf(Object.values(indices)[0]?.shards ?? {});
        return segments.length === 0 ? (
          <p class="muted">No segments yet: the index is empty or was not refreshed.</p>
        ) : (
          <SegmentBars segments={segments} />
        );
      }}
    </Loaded>
  );
}

function SegmentBars({ segments }: { readonly segments: readonly SegmentInfo[] }): JSX.Element {
  const largest = Math.max(...segments.map(({ bytes }) => bytes), 1);
  return (
    <>
      <p class="muted small">{countText(segments.length, 'segment')}; the width is the size, grey are deleted documents</p>
      <ul class="segments">
        {segments.map(({ name, shard, documents, deleted, bytes }) => (
          <li key={`${shard} ${name}`}>
            <span class="mono small">
              {shard}/{name}
            </span>
            <span class="segment-track">
              <span class="segment" style={{ width: `${(bytes / largest) * 100}%` }}>
                <span style={{ flexGrow: documents, background: 'var(--chart-1)' }} />
                <span style={{ flexGrow: deleted, background: 'var(--strong-border)' }} />
              </span>
            </span>
            <span class="muted small">
              {bytesText(bytes)}, {countText(documents, 'document')}
              {deleted > 0 && `, ${numberText(deleted)} deleted`}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function AliasesView({ name }: { readonly name: string }): JSX.Element {
  const [version, setVersion] = useState(0);
  const [alias, setAlias] = useState('');
  const [failure, setFailure] = useState<string | null>(null);
  const change = (action: 'add' | 'remove', changed: string): void => {
    call('POST', '/_aliases', { actions: [{ [action]: { index: name, alias: changed } }] }).then(
      () => {
        setFailure(null);
        setAlias('');
        setVersion(version + 1);
      },
      (error: Error) => setFailure(error.message),
    );
  };
  const add = (event: Event): void => {
    event.preventDefault();
    change('add', alias);
  };
  return (
    <>
      <form class="form-actions" aria-label="New alias" onSubmit={add}>
        <input value={alias} required aria-label="Alias" placeholder="alias" onInput={(event) => setAlias(event.currentTarget.value)} />
        <button type="submit" class="plain">
          Add alias
        </button>
      </form>
      {failure !== null && (
        <p class="notice error" role="alert">
          {failure}
        </p>
      )}
      <Loaded<Record<string, { aliases: Record<string, object> }>> key={version} path={`/${pathPart(name)}/_alias`}>
        {(answer) => {
          const aliases = Object.entries(Object.values(answer)[0]?.aliases ?? {});
          if (aliases.length === 0) return <p class="muted">The index has no aliases.</p>;
          return (
            <ul class="field-tree">
              {aliases.map(([found, options]) => (
                <li key={found} class="alias">
                  <b>{found}</b> <span class="muted small mono">{Object.keys(options).length > 0 ? JSON.stringify(options) : ''}</span>
                  <button type="button" class="tool" aria-label={`Remove the alias ${found}`} onClick={() => change('remove', found)}>
                    <Icon name="close" />
                  </button>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </>
  );
}
