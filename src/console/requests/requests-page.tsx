// The requests page: a sheet on one side, the responses on the other.
import type { EditorView } from '@codemirror/view';
import type { JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { AnswerPanel } from '../answers/answer-panel.tsx';
import { type Filter, withFilter } from '../answers/chart-model.ts';
import { loadCatalog } from '../catalog.ts';
import { useCell } from '../cell.ts';
import { clockText, msText } from '../format.ts';
import { indentJson } from '../json-text.ts';
import { credentials, serviceUrl } from '../service.ts';
import { Icon } from '../shell/icons.tsx';
import { Menu, type MenuItem } from '../shell/menu.tsx';
import { address, addressHash, replaceParams } from '../shell/router.ts';
import { announce, copyText, showToast } from '../shell/toast.tsx';
import { asClientCode, asCurl, asLibraryCode } from './copy-as.ts';
import { clearErrors, createSheetEditor, showServerError } from './editor.ts';
import { type HistoryEntry, remember, runHistory, sheetText } from './kept.ts';
import { type Run, runRequest } from './run.ts';
import { offsetOf, offsetOfName, serverError } from './server-error.ts';
import { packText, unpackText } from './share.ts';
import { parseSheet, readBody, requestAt, requestsIn, type SheetRequest } from './sheet.ts';

export function RequestsPage(): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView | null>(null);
  const { runs, isRunning, run, stop } = useRuns(editor);
  useEffect(() => {
    if (host.current === null) return;
    editor.current = createSheetEditor({
      parent: host.current,
      text: sheetText.value,
      onChange: (text) => sheetText.set(text),
      onRun: run,
    });
    editor.current.focus();
    return () => editor.current?.destroy();
  }, []);
  useSharedText(editor);
  const runSelection = (): void => {
    const view = editor.current;
    if (view) run(view.state.selection.main);
  };
  return (
    <div class="requests">
      <h1 class="visually-hidden">Requests</h1>
      <section class="pane" aria-label="Sheet">
        <div class="toolbar" role="toolbar" aria-label="Requests">
          {isRunning ? (
            <button type="button" class="primary" onClick={stop}>
              <Icon name="stop" />
              <span>Stop</span>
            </button>
          ) : (
            <button
              type="button"
              class="primary"
              onClick={runSelection}
              title="Run the request at the cursor, or those of the selection (Ctrl-Enter)"
            >
              <Icon name="play" />
              <span>Run</span>
            </button>
          )}
          <HistoryMenu editor={editor} />
          <CopyMenu editor={editor} />
          <button
            type="button"
            class="tool"
            onClick={() => void share(editor.current)}
            title="Copy a link to the selection, or to the request at the cursor"
          >
            <Icon name="share" />
            <span>Share</span>
          </button>
          <span class="hint muted">
            <kbd>Ctrl</kbd> <kbd>Enter</kbd> runs
          </span>
        </div>
        <div class="code-host" ref={host} />
      </section>
      <section class="pane answers" aria-label="Answers" aria-busy={isRunning}>
        <Answers runs={runs} onFilter={(request, filter) => addFilter(editor.current, request, filter) && runSelection()} />
      </section>
    </div>
  );
}

interface Runs {
  readonly runs: readonly Run[];
  readonly isRunning: boolean;
  run(range: { readonly from: number; readonly to: number }): void;
  stop(): void;
}

function useRuns(editor: { readonly current: EditorView | null }): Runs {
  const [runs, setRuns] = useState<readonly Run[]>([]);
  const [isRunning, setRunning] = useState(false);
  const controller = useRef<AbortController | null>(null);
  const run = useCallback(async ({ from, to }: { readonly from: number; readonly to: number }) => {
    const view = editor.current;
    if (view === null) return;
    const sheet = view.state.doc.toString();
    const requests = requestsIn(parseSheet(sheet), from, to);
    controller.current?.abort();
    const own = new AbortController();
    controller.current = own;
    setRunning(true);
    clearErrors(view);
    const done: Run[] = [];
    for (const request of requests) {
      if (own.signal.aborted) break;
      done.push(await runRequest(sheet, request, own.signal));
    }
    if (controller.current !== own) return;
    setRunning(false);
    setRuns(done);
    announce(done.map(outcomeText).join(', '));
    for (const { request, answer } of done.toReversed()) {
      const body = sheet.slice(request.bodyFrom, Math.max(request.to, request.bodyFrom));
      remember({ method: request.method, path: request.path, body, at: Date.now(), status: answer?.status ?? 0, ms: answer?.ms ?? 0 });
    }
    if (editor.current?.state.doc.toString() === sheet) markError(editor.current, sheet, done);
  }, []);
  return { runs, isRunning, run: (range) => void run(range), stop: () => controller.current?.abort() };
}

function outcomeText({ request, answer, failure }: Run): string {
  return `${request.method} ${request.path}: ${answer === null ? failure : `${answer.status} ${answer.statusText}`}`;
}

/** Underlines the first error at the position that the service reports, or the request if there is no position. */
function markError(view: EditorView, sheet: string, runs: readonly Run[]): void {
  for (const { request, body, answer } of runs) {
    const error = answer && answer.status >= 400 ? serverError(answer.json) : null;
    if (error === null) continue;
    const inBody =
      error.line === null || error.column === null ? offsetOfName(error.reason, body.text) : offsetOf(body.text, error.line, error.column);
    const at = inBody === null || body.text === '' ? request.pathFrom : body.sourceOf(inBody);
    showServerError(view, Math.min(at, sheet.length), error.reason);
    return;
  }
}

interface AnswersProps {
  readonly runs: readonly Run[];
  onFilter(request: SheetRequest, filter: Filter): void;
}

function Answers({ runs, onFilter }: AnswersProps): JSX.Element {
  const [shown, setShown] = useState(0);
  useEffect(() => setShown(0), [runs]);
  if (runs.length === 0) return <p class="muted empty">Answers are shown here.</p>;
  const current = runs[Math.min(shown, runs.length - 1)];
  return (
    <>
      {runs.length > 1 && (
        <div class="tabs" role="tablist" aria-label="Requests that were run">
          {runs.map(({ request, answer }, i) => (
            <button key={request.from} type="button" role="tab" aria-selected={i === shown} onClick={() => setShown(i)}>
              <span class={`dot ${answer === null || answer.status >= 500 ? 'bad' : answer.status >= 400 ? 'warn' : 'good'}`} />
              {request.method} {request.path}
            </button>
          ))}
        </div>
      )}
      <AnswerPanel key={`${current.at} ${current.request.from}`} run={current} onFilter={(filter) => onFilter(current.request, filter)} />
    </>
  );
}

/** Adds a filter to the query of a request in the sheet. @returns false if the request is no longer there, or its body is not JSON */
function addFilter(view: EditorView | null, { from, method, path }: SheetRequest, filter: Filter): boolean {
  if (view === null) return false;
  const sheet = view.state.doc.toString();
  const request = parseSheet(sheet).find((found) => found.from === from && found.method === method && found.path === path);
  if (!request) return false;
  try {
    const { text } = readBody(sheet, request.bodyFrom, Math.max(request.to, request.bodyFrom));
    const body = withFilter(text === '' ? {} : (JSON.parse(text) as Record<string, unknown>), filter);
    const lineEnd = view.state.doc.lineAt(request.from).to;
    view.dispatch({
      changes: { from: lineEnd, to: Math.max(request.to, lineEnd), insert: `\n${indentJson(JSON.stringify(body))}` },
      selection: { anchor: request.from },
    });
    return true;
  } catch {
    return false;
  }
}

interface EditorRef {
  readonly current: EditorView | null;
}

function HistoryMenu({ editor }: { readonly editor: EditorRef }): JSX.Element {
  const entries = useCell(runHistory);
  const insert = ({ method, path, body }: HistoryEntry): void => {
    const view = editor.current;
    if (view === null) return;
    const end = view.state.doc.length;
    const gap = end === 0 ? '' : view.state.sliceDoc(end - 1) === '\n' ? '\n' : '\n\n';
    const text = `${gap}${method} ${path}\n${body}${body.endsWith('\n') || body === '' ? '' : '\n'}`;
    view.dispatch({ changes: { from: end, insert: text }, selection: { anchor: end + gap.length }, scrollIntoView: true });
    view.focus();
  };
  const items = entries.slice(0, 50).map(
    (entry): MenuItem => ({
      label: `${entry.method} ${entry.path}`,
      hint: `${entry.status === 0 ? 'no answer' : entry.status} · ${msText(entry.ms)} · ${clockText(entry.at)}`,
      onChoose: () => insert(entry),
    }),
  );
  if (items.length > 0) items.push({ label: 'Clear the history', onChoose: () => runHistory.set([]) });
  return <Menu label="History" icon="history" items={items} empty="Requests that you run are listed here." />;
}

function atCursor(view: EditorView | null): { sheet: string; request: SheetRequest } | null {
  if (view === null) return null;
  const sheet = view.state.doc.toString();
  const request = requestAt(parseSheet(sheet), view.state.selection.main.head);
  return request && { sheet, request };
}

function CopyMenu({ editor }: { readonly editor: EditorRef }): JSX.Element {
  const copy = async (form: 'curl' | 'client' | 'library'): Promise<void> => {
    const found = atCursor(editor.current);
    if (found === null) return showToast('The sheet has no request');
    const { sheet, request } = found;
    const body = readBody(sheet, request.bodyFrom, Math.max(request.to, request.bodyFrom));
    if (form === 'curl') return copyText(asCurl(serviceUrl, request, body, credentials.value), 'Command');
    const catalog = await loadCatalog();
    if (form === 'client') return copyText(asClientCode(catalog, serviceUrl, request, body), 'Code');
    const code = asLibraryCode(catalog, request, body);
    return code === null ? showToast('The library has no function for this request') : copyText(code, 'Code');
  };
  return (
    <Menu
      label="Copy as"
      icon="copy"
      items={[
        { label: 'curl', hint: 'command', onChoose: () => void copy('curl') },
        { label: '@elastic/elasticsearch', hint: 'JavaScript', onChoose: () => void copy('client') },
        { label: 'open()', hint: 'the engine as a library', onChoose: () => void copy('library') },
      ]}
    />
  );
}

async function share(view: EditorView | null): Promise<void> {
  if (view === null) return;
  const { from, to } = view.state.selection.main;
  const sheet = view.state.doc.toString();
  const requests = requestsIn(parseSheet(sheet), from, to);
  if (requests.length === 0) return showToast('The sheet has no request');
  const text = sheet.slice(requests[0].from, requests[requests.length - 1].to);
  const link = new URL(location.href);
  link.hash = addressHash('requests', { load: await packText(text) });
  await copyText(link.href, 'Link');
}

/** Puts the requests of a link at the start of the sheet; they run only when the user runs them. */
function useSharedText(editor: EditorRef): void {
  const { params } = useCell(address);
  useEffect(() => {
    const { load, text: plain } = params;
    if (load === undefined && plain === undefined) return;
    replaceParams({});
    const insert = (text: string): void => {
      const view = editor.current;
      if (view === null) return;
      const added = `${text.trim()}\n\n`;
      if (!view.state.doc.toString().startsWith(text.trim())) view.dispatch({ changes: { from: 0, insert: added } });
      view.dispatch({ selection: { anchor: 0 }, scrollIntoView: true });
      view.focus();
    };
    if (plain !== undefined) insert(plain);
    else unpackText(load).then(insert, () => showToast('The link is damaged'));
  }, [params]);
}
