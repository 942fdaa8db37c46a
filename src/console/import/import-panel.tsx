// Import of a file into an index: drop it, review the suggested mapping, follow the progress, see why lines were rejected.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { download } from '../answers/hits-view.tsx';
import { bytesText, countText, numberText } from '../format.ts';
import type { MappingProperties } from '../mapping-types.ts';
import { call, pathPart } from '../service.ts';
import { go } from '../shell/router.ts';
import { type ImportState, importFile, type Rejected } from './bulk-run.ts';
import { FORMATS, type Format, formatOf, readerOf } from './document-reader.ts';
import { columnTypes, indexNameOf, suggestMapping } from './suggest-mapping.ts';

const SAMPLE_BYTES = 1 << 20;
const SAMPLE_DOCUMENTS = 2000;
const SHOWN_REJECTED = 50;

export interface ImportPanelProps {
  /** A file that was dropped on the page; null before. */
  readonly dropped: File | null;
  onImported(index: string): void;
}

interface Sample {
  readonly file: File;
  readonly format: Format;
  readonly documents: ReadonlyArray<Readonly<Record<string, unknown>>>;
}

export function ImportPanel({ dropped, onImported }: ImportPanelProps): JSX.Element {
  const [sample, setSample] = useState<Sample | null>(null);
  const [error, setError] = useState<string | null>(null);
  const open = (file: File | null | undefined, format: Format | null = null): void => {
    if (!file) return;
    setError(null);
    readSample(file, format).then(setSample, (failure: Error) => setError(failure.message));
  };
  useEffect(() => open(dropped), [dropped]);
  return (
    <section class="card import" aria-label="Import">
      <label class="drop-zone">
        <input
          type="file"
          class="visually-hidden"
          accept=".csv,.tsv,.json,.jsonl,.ndjson,.txt"
          onChange={(event) => open(event.currentTarget.files?.[0])}
        />
        <span>
          <b>Choose a file</b> or drop it on this page
        </span>
        <span class="muted">NDJSON (also with actions of _bulk), JSON, CSV with a header</span>
      </label>
      {error !== null && (
        <p class="notice error" role="alert">
          {error}
        </p>
      )}
      {sample && (
        <ImportForm
          key={`${sample.file.name} ${sample.format}`}
          sample={sample}
          onFormat={(format) => open(sample.file, format)}
          onImported={onImported}
        />
      )}
    </section>
  );
}

async function readSample(file: File, given: Format | null): Promise<Sample> {
  const text = await file.slice(0, SAMPLE_BYTES).text();
  const format = given ?? formatOf(file.name, text);
  const reader = readerOf(format);
  const read = reader.read(text);
  if (file.size <= SAMPLE_BYTES) read.push(...reader.end());
  const documents = read
    .filter((document) => document.error === null && document.source !== '')
    .slice(0, SAMPLE_DOCUMENTS)
    .map(({ source }) => JSON.parse(source) as Record<string, unknown>);
  if (documents.length === 0) throw new Error(`${file.name} has no documents${read[0] ? `: ${read[0].error}` : ''}`);
  return { file, format, documents };
}

interface ImportFormProps {
  readonly sample: Sample;
  onFormat(format: Format): void;
  onImported(index: string): void;
}

function ImportForm({ sample, onFormat, onImported }: ImportFormProps): JSX.Element {
  const { file, format, documents } = sample;
  const [index, setIndex] = useState(indexNameOf(file.name));
  const [mapping, setMapping] = useState(() => JSON.stringify(suggestMapping(documents), null, 2));
  const [state, setState] = useState<ImportState | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);
  const [isRunning, setRunning] = useState(false);
  const run = async (): Promise<void> => {
    const own = new AbortController();
    controller.current = own;
    setRunning(true);
    setFailure(null);
    setState(null);
    try {
      const properties = JSON.parse(mapping) as MappingProperties;
      await createUnlessExists(index, properties);
      const reader = readerOf(format, columnTypes(properties));
      const last = await importFile({ file, index, reader, signal: own.signal, onProgress: setState });
      await call('POST', `/${pathPart(index)}/_refresh`);
      setState(last);
      onImported(index);
    } catch (error) {
      setFailure(own.signal.aborted ? 'The import was stopped. Documents sent so far are in the index.' : (error as Error).message);
    }
    setRunning(false);
  };
  return (
    <form
      class="import-form"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <div class="import-fields">
        <p>
          <b>{file.name}</b>{' '}
          <span class="muted">
            {bytesText(file.size)}, {countText(documents.length, 'document')} read for the mapping
          </span>
        </p>
        <label class="field">
          <span>Index</span>
          <input value={index} required disabled={isRunning} onInput={(event) => setIndex(event.currentTarget.value)} />
        </label>
        <label class="field">
          <span>Format</span>
          <select value={format} disabled={isRunning} onChange={(event) => onFormat(event.currentTarget.value as Format)}>
            {FORMATS.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <p class="form-actions">
          {isRunning ? (
            <button type="button" class="plain" onClick={() => controller.current?.abort()}>
              Stop
            </button>
          ) : (
            <button type="submit" class="primary">
              Import
            </button>
          )}
        </p>
        {failure !== null && (
          <p class="notice error" role="alert">
            {failure}
          </p>
        )}
        {state && <Progress state={state} index={index} />}
      </div>
      <label class="field">
        <span>Mapping of a new index</span>
        <textarea
          class="mono"
          rows={Math.min(22, mapping.split('\n').length + 1)}
          value={mapping}
          disabled={isRunning}
          spellcheck={false}
          onInput={(event) => setMapping(event.currentTarget.value)}
        />
      </label>
      {state && state.rejectedCount > 0 && <RejectedList state={state} name={file.name} />}
    </form>
  );
}

/** An existing index, alias or data stream keeps its mapping. @throws RequestError */
async function createUnlessExists(index: string, properties: MappingProperties): Promise<void> {
  const known = await call<Record<string, readonly { readonly name: string }[]>>('GET', '/_resolve/index/*?expand_wildcards=all');
  if (Object.values(known).some((kind) => kind.some(({ name }) => name === index))) return;
  await call('PUT', `/${pathPart(index)}`, { settings: { number_of_shards: 1, number_of_replicas: 0 }, mappings: { properties } });
}

function Progress({ state, index }: { readonly state: ImportState; readonly index: string }): JSX.Element {
  const { indexed, rejectedCount, readBytes, totalBytes, startedMs, isDone } = state;
  const share = totalBytes === 0 ? 1 : Math.min(1, readBytes / totalBytes);
  const seconds = Math.max((Date.now() - startedMs) / 1000, 0.001);
  const left = share > 0 && !isDone ? Math.ceil((seconds / share) * (1 - share)) : null;
  return (
    <div class="import-progress" role="status">
      <progress value={share} max={1} aria-label="Progress of the import" />
      <p>
        <b>{countText(indexed, 'document')}</b>{' '}
        <span class="muted">
          {isDone ? '' : `${numberText(Math.round(indexed / seconds))} a second${left === null ? '' : `, ${left} s left`}`}
          {rejectedCount > 0 && ` ${numberText(rejectedCount)} rejected`}
        </span>
      </p>
      {isDone && (
        <button type="button" class="plain" onClick={() => go('discover', { index })}>
          Discover {index}
        </button>
      )}
    </div>
  );
}

function RejectedList({ state, name }: { readonly state: ImportState; readonly name: string }): JSX.Element {
  const { rejected, rejectedCount } = state;
  return (
    <section class="rejected" aria-label="Rejected lines">
      <p class="rejected-head">
        <b>{countText(rejectedCount, 'line')} rejected</b>
        <button type="button" class="plain" onClick={() => download(`${name}.rejected.ndjson`, ndjsonOf(rejected), 'application/x-ndjson')}>
          Save with reasons
        </button>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section class="table-scroll" aria-label="Reasons" tabIndex={0}>
        <table class="data-table">
          <thead>
            <tr>
              <th scope="col" class="number">
                <span>Line</span>
              </th>
              <th scope="col">
                <span>Reason</span>
              </th>
              <th scope="col">
                <span>Text</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rejected.slice(0, SHOWN_REJECTED).map(({ at, reason, source }) => (
              <tr key={at}>
                <td class="number">{at}</td>
                <td class="reason">{reason}</td>
                <td class="mono">{source.slice(0, 300)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rejectedCount > SHOWN_REJECTED && <p class="muted small">The first {SHOWN_REJECTED} are shown.</p>}
    </section>
  );
}

const ndjsonOf = (rejected: readonly Rejected[]): string => rejected.map((line) => `${JSON.stringify(line)}\n`).join('');
