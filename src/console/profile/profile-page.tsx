// The profile page: where the time of a search goes, or which of two searches is faster, and why.
import type { EditorView } from '@codemirror/view';
import type { JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { shardProfiles } from '../answers/profile-model.ts';
import { ProfileView } from '../answers/profile-view.tsx';
import { costOf, explainableQuery, searchAnswer } from '../answers/search-answer.ts';
import type { Cell } from '../cell.ts';
import { clearErrors, createSheetEditor, showServerError } from '../requests/editor.ts';
import { offsetOfName, serverError } from '../requests/server-error.ts';
import { parseSheet, readBody } from '../requests/sheet.ts';
import { call, RequestError, send } from '../service.ts';
import { Icon } from '../shell/icons.tsx';
import { type Comparison, scoredOf, skippedTexts } from './comparison.ts';
import { ComparisonView } from './comparison-view.tsx';
import { profiledSheets } from './kept-sheets.ts';
import { ScoredHits } from './scored-hits.tsx';
import { type ProfiledSearch, SheetError, searchOf } from './searches.ts';

type Result =
  | { readonly kind: 'profile'; readonly json: unknown; readonly query: unknown }
  | { readonly kind: 'comparison'; readonly comparison: Comparison };

export function ProfilePage(): JSX.Element {
  const editors = { a: useRef<EditorView | null>(null), b: useRef<EditorView | null>(null) };
  const [result, setResult] = useState<Result | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [isRunning, setRunning] = useState(false);
  const run = useCallback(async (kind: Result['kind']) => {
    const [a, b] = [profiledSheets.a.value, profiledSheets.b.value];
    for (const editor of [editors.a.current, editors.b.current]) if (editor) clearErrors(editor);
    setRunning(true);
    setFailure(null);
    try {
      setResult(kind === 'profile' ? await profile(searchOf(a, 'A')) : await compare(searchOf(a, 'A'), searchOf(b, 'B')));
    } catch (error) {
      setResult(null);
      setFailure((error as Error).message);
      if (kind === 'profile' && error instanceof RequestError && editors.a.current) underline(editors.a.current, a, error);
    }
    setRunning(false);
  }, []);
  return (
    <div class="page profile-page">
      <header class="page-head with-actions">
        <h1>Profile</h1>
        <p class="muted">where the time of a search goes, or which of two is faster</p>
        <div class="actions">
          <button type="button" class="plain" disabled={isRunning} onClick={() => void run('profile')} title="Ctrl-Enter in A">
            <Icon name="play" />
            <span>Profile A</span>
          </button>
          <button type="button" class="primary" disabled={isRunning} onClick={() => void run('comparison')} title="Ctrl-Enter in B">
            <Icon name="play" />
            <span>Compare A and B</span>
          </button>
        </div>
      </header>
      <div class="profile-sheets">
        <SheetPane name="A" cell={profiledSheets.a} editor={editors.a} onRun={() => void run('profile')} />
        <SheetPane name="B" cell={profiledSheets.b} editor={editors.b} onRun={() => void run('comparison')} />
      </div>
      {failure !== null && (
        <p class="notice error" role="alert">
          {failure}
        </p>
      )}
      <div class="profile-result" aria-busy={isRunning} aria-live="polite">
        {isRunning && <p class="muted">Running…</p>}
        {!isRunning && result?.kind === 'profile' && <ProfileResult json={result.json} query={result.query} />}
        {!isRunning && result?.kind === 'comparison' && <ComparisonView comparison={result.comparison} />}
      </div>
    </div>
  );
}

async function profile({ path, body }: ProfiledSearch): Promise<Result> {
  const answer = await send('POST', path, JSON.stringify({ ...body, profile: true }));
  if (answer.status >= 400) throw new RequestError(answer);
  return { kind: 'profile', json: answer.json, query: explainableQuery(path, body) };
}

async function compare(a: ProfiledSearch, b: ProfiledSearch): Promise<Result> {
  if (a.path !== b.path) throw new SheetError(`A and B must search the same indices: A is [${a.path}], B is [${b.path}]`);
  const [target, params] = a.path.split('?', 2);
  if (params !== undefined) throw new SheetError(`A comparison takes no parameters: move [${params}] into the bodies`);
  const path = target.replace(/_search$/, '_profile/compare');
  return { kind: 'comparison', comparison: await call<Comparison>('POST', path, { a: a.body, b: b.body }) };
}

/**
 * Underlines the name that the error mentions, otherwise the path. Positions in the error cannot be used, because `profile` was added to
 * the body.
 */
function underline(view: EditorView, sheet: string, { answer, message }: RequestError): void {
  const [request] = parseSheet(sheet);
  if (request === undefined) return;
  const body = readBody(sheet, request.bodyFrom, Math.max(request.to, request.bodyFrom));
  const error = serverError(answer.json);
  const name = error && offsetOfName(error.reason, body.text);
  showServerError(view, Math.min(name === null ? request.pathFrom : body.sourceOf(name), sheet.length), error?.reason ?? message);
}

interface SheetPaneProps {
  readonly name: string;
  readonly cell: Cell<string>;
  readonly editor: { current: EditorView | null };
  onRun(): void;
}

function SheetPane({ name, cell, editor, onRun }: SheetPaneProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (host.current === null) return;
    editor.current = createSheetEditor({ parent: host.current, text: cell.value, onChange: (text) => cell.set(text), onRun });
    return () => editor.current?.destroy();
  }, []);
  const copyOther = (): void => {
    const view = editor.current;
    view?.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: profiledSheets.a.value } });
  };
  return (
    <section class="card profile-sheet" aria-label={`Request ${name}`}>
      <p class="profile-sheet-head">
        <b class="badge">{name}</b>
        {name === 'B' && (
          <button type="button" class="tool" onClick={copyOther}>
            <Icon name="copy" />
            <span>Start from A</span>
          </button>
        )}
      </p>
      <div class="code-host" ref={host} />
    </section>
  );
}

function ProfileResult({ json, query }: { readonly json: unknown; readonly query: unknown }): JSX.Element {
  const search = searchAnswer(json);
  const total = typeof search?.hits.total === 'number' ? undefined : search?.hits.total;
  const shards = shardProfiles(json);
  const skipped = skippedTexts({ ...(search ?? {}), total, scored: scoredOf(shards) });
  return (
    <>
      <p class="facts">
        {costOf(json).map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </p>
      {skipped.map((text) => (
        <p key={text} class="notice">
          {text}
        </p>
      ))}
      <section class="card" aria-label="Profile">
        <ProfileView shards={shards} />
      </section>
      {search && search.hits.hits.length > 0 && <ScoredHits hits={search.hits.hits} query={query} />}
    </>
  );
}
