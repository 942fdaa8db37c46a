// The response to a request: status, cost, and the views that suit its content.
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Cell, useCell } from '../cell.ts';
import { bytesText, countText, msText } from '../format.ts';
import { filterJson, indentJson } from '../json-text.ts';
import { profiledSheets } from '../profile/kept-sheets.ts';
import type { Run } from '../requests/run.ts';
import { serverError } from '../requests/server-error.ts';
import type { Answer } from '../service.ts';
import { go } from '../shell/router.ts';
import { chartsOf, type Filter } from './chart-model.ts';
import { Charts } from './charts.tsx';
import { HitsView } from './hits-view.tsx';
import { JsonView } from './json-view.tsx';
import { shardProfiles } from './profile-model.ts';
import { ProfileView } from './profile-view.tsx';
import { costOf, explainableQuery, searchAnswer } from './search-answer.ts';

/** Larger responses are neither indented nor filtered, which would take seconds. */
const MAX_INDENTED = 30_000_000;

export interface AnswerPanelProps {
  readonly run: Run;
  /** Narrows the search by a bucket and runs it again. */
  onFilter(filter: Filter): void;
}

export function AnswerPanel({ run, onFilter }: AnswerPanelProps): JSX.Element {
  const { answer, failure } = run;
  if (answer === null) return <p class="notice error">{failure}</p>;
  return <ShownAnswer run={run} answer={answer} onFilter={onFilter} />;
}

type View = 'json' | 'hits' | 'charts' | 'profile';
const VIEW_TITLES: Readonly<Record<View, string>> = { json: 'JSON', hits: 'Hits', charts: 'Charts', profile: 'Profile' };

function ShownAnswer({ run, answer, onFilter }: AnswerPanelProps & { readonly answer: Answer }): JSX.Element {
  const search = useMemo(() => searchAnswer(answer.json), [answer]);
  const requested = useMemo(() => parsedObject(run.body.text), [run]);
  const charts = useMemo(
    () => (search?.aggregations ? chartsOf(requested?.aggs ?? requested?.aggregations, search.aggregations) : []),
    [search, requested],
  );
  const shards = useMemo(() => shardProfiles(answer.json), [answer]);
  const has: Readonly<Record<View, boolean>> = {
    json: true,
    hits: search !== null && search.hits.hits.length > 0,
    charts: charts.length > 0,
    profile: shards.length > 0,
  };
  const views = (Object.keys(VIEW_TITLES) as View[]).filter((name) => has[name]);
  const wanted = useCell(wantedView);
  const view = views.includes(wanted) ? wanted : 'json';
  return (
    <>
      <StatusLine run={run} answer={answer} />
      {views.length > 1 && (
        <div class="tabs" role="tablist" aria-label="Views of the response">
          {views.map((name) => (
            <button key={name} type="button" role="tab" aria-selected={name === view} onClick={() => wantedView.set(name)}>
              {VIEW_TITLES[name]}
            </button>
          ))}
        </div>
      )}
      {view === 'json' && <RawAnswer answer={answer} />}
      {view === 'hits' && search && <HitsView hits={search.hits.hits} query={explainableQuery(run.request.path, requested)} />}
      {view === 'profile' && (
        <>
          <p class="profile-tools">
            <button type="button" class="plain" onClick={() => openInProfile(run)}>
              Compare with another request
            </button>
          </p>
          <ProfileView shards={shards} />
        </>
      )}
      {view === 'charts' && <Charts charts={charts} onFilter={requested === null ? null : onFilter} />}
    </>
  );
}

/** Opens the request of a response on the profile page. */
function openInProfile({ request, body }: Run): void {
  profiledSheets.a.set(`${request.method} ${request.path}\n${indentJson(body.text)}\n`);
  go('profile');
}

/** The preferred view, used for responses that have it. */
const wantedView = new Cell<View>('json');

function parsedObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function StatusLine({ run, answer }: { readonly run: Run; readonly answer: Answer }): JSX.Element {
  const error = answer.status >= 400 ? serverError(answer.json) : null;
  const warnings = answer.headers.get('warning');
  const kind = answer.status >= 500 ? 'bad' : answer.status >= 400 ? 'warn' : 'good';
  return (
    <div class="status-line">
      <p>
        <span class={`badge ${kind}`}>
          {answer.status} {answer.statusText}
        </span>
        <span class="facts">
          <span title="Time from sending the request to the end of the response">{msText(answer.ms)}</span>
          {costOf(answer.json).map((fact) => (
            <span key={fact}>{fact}</span>
          ))}
          <span title="Size of the response">{bytesText(answer.bytes)}</span>
        </span>
        <span class="muted path" title={`${run.request.method} ${run.request.path}`}>
          {run.request.method} {run.request.path}
        </span>
      </p>
      {error && (
        <p class="notice error" role="alert">
          <b>{error.type}</b> {error.reason}
        </p>
      )}
      {warnings !== null && <p class="notice warn">{warningTexts(warnings).join('\n')}</p>}
    </div>
  );
}

/** Messages of a `Warning` header, which may contain several: `299 Elasticsearch-8.15.0 "text"`. */
function warningTexts(header: string): string[] {
  const texts = [...header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text.replace(/\\(.)/g, '$1'));
  return texts.length > 0 ? texts : [header];
}

function RawAnswer({ answer }: { readonly answer: Answer }): JSX.Element {
  const [word, setWord] = useState('');
  const isJson = answer.json !== undefined;
  const text = useMemo(() => {
    if (answer.text === '') return '';
    if (!isJson || answer.text.length > MAX_INDENTED) return answer.text;
    if (word.trim() === '') return indentJson(answer.text);
    const kept = filterJson(answer.json, word.trim());
    return kept === undefined ? '' : JSON.stringify(kept, null, 2);
  }, [answer, word]);
  if (answer.text === '') return <p class="muted empty">The answer has no body.</p>;
  return (
    <div class="raw">
      {isJson && (
        <div class="raw-tools">
          <input
            type="search"
            value={word}
            onInput={(event) => setWord(event.currentTarget.value)}
            placeholder="Filter names and values"
            aria-label="Filter names and values"
          />
          {word !== '' && text === '' && <span class="muted">{countText(0, 'match', 'matches')}</span>}
        </div>
      )}
      <JsonView text={text} isJson={isJson} label="Answer" />
    </div>
  );
}
