// Tries a pipeline on documents before it is saved, and shows what each processor changes in each of them.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../service.ts';
import { type Json, type SimulatedStep, simulatedSteps } from './resources.ts';

const FIRST = '[\n  { "message": "a document" }\n]';

export function Simulation({ pipeline }: { readonly pipeline: Json }): JSX.Element {
  const [text, setText] = useState(FIRST);
  const [result, setResult] = useState<readonly SimulatedStep[][] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const run = async (): Promise<void> => {
    try {
      const sources = sourcesOf(text);
      const docs = sources.map((_source) => ({ _source }));
      const answer = await call<Json>('POST', '/_ingest/pipeline/_simulate?verbose=true', { pipeline, docs });
      setResult(simulatedSteps(answer, sources));
      setFailure(null);
    } catch (error) {
      setResult(null);
      setFailure((error as Error).message);
    }
  };
  return (
    <section class="simulation" aria-label="Simulation">
      <label class="field">
        <span>Documents to try it on</span>
        <textarea class="mono" rows={5} value={text} spellcheck={false} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <p>
        <button type="button" class="plain" onClick={() => void run()}>
          Simulate
        </button>
      </p>
      {failure !== null && (
        <p class="notice error" role="alert">
          {failure}
        </p>
      )}
      {result?.map((steps, i) => (
        <ol key={i} class="steps" aria-label={`Steps of document ${i + 1}`}>
          {steps.map((step, at) => (
            <Step key={at} step={step} />
          ))}
        </ol>
      ))}
    </section>
  );
}

function Step({ step: { processor, status, reason, changes } }: { readonly step: SimulatedStep }): JSX.Element {
  return (
    <li>
      <p>
        <b class="mono">{processor}</b>{' '}
        <span class={`badge ${status === 'success' ? 'good' : status.startsWith('error') ? 'bad' : 'warn'}`}>{status}</span>{' '}
        <span class="muted">{reason !== '' ? reason : changes.length === 0 ? 'changes nothing' : ''}</span>
      </p>
      {changes.length > 0 && (
        <ul class="diff mono">
          {changes.map(({ field, before, after }) => (
            <li key={field}>
              {before !== null && <del>{`${field}: ${before}`}</del>}
              {after !== null && <ins>{`${field}: ${after}`}</ins>}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** @throws Error `text` is neither a document nor an array of documents */
function sourcesOf(text: string): Json[] {
  const value: unknown = JSON.parse(text);
  const list = Array.isArray(value) ? value : [value];
  if (list.some((item) => typeof item !== 'object' || item === null || Array.isArray(item)))
    throw new Error('Each document must be a JSON object.');
  return list as Json[];
}
