// The editor of a sheet: CodeMirror with the language of sheets, completion, syntax errors while typing, errors of the service, and a button at each
// request.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, forceLinting, linter, lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, RangeSet, type Text } from '@codemirror/state';
import { drawSelection, EditorView, GutterMarker, gutter, highlightActiveLine, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { completeSheet } from './completion.ts';
import { parseSheet, readBody, type SheetRequest } from './sheet.ts';
import { codeColors, sheetFolding, sheetLanguage } from './sheet-language.ts';

export interface SheetEditorOptions {
  readonly parent: HTMLElement;
  readonly text: string;
  onChange(text: string): void;
  /** Ctrl-Enter runs the requests of the selection; a button runs the request of its line. */
  onRun(range: { readonly from: number; readonly to: number }): void;
}

const cspNonce = (): string => document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';

/** Extensions that all editors of the console share. */
export const BASE_EXTENSIONS = [
  // Editable content has the focus without it, too, but tools for accessibility look for the attribute.
  EditorView.contentAttributes.of({ tabindex: '0' }),
  syntaxHighlighting(codeColors),
  EditorView.cspNonce.of(cspNonce()),
];

/**
 * Typing over a selection. Chromium would keep the look of the replaced text by an inline style, which the content security policy forbids, so the
 * editor replaces the text itself.
 */
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data: text, inputType } = event;
    const { main, ranges } = view.state.selection;
    if (inputType !== 'insertText' || text === null || view.composing || main.empty || ranges.length > 1) return false;
    const insert = () => view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type', scrollIntoView: true });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, main.from, main.to, text, insert))) view.dispatch(insert());
    return true;
  },
});

export function createSheetEditor({ parent, text, onChange, onRun }: SheetEditorOptions): EditorView {
  const run = (view: EditorView): boolean => {
    const { from, to } = view.state.selection.main;
    onRun({ from, to });
    return true;
  };
  const jump = (direction: 1 | -1) => (view: EditorView) => jumpToRequest(view, direction);
  return new EditorView({
    parent,
    doc: text,
    extensions: [
      BASE_EXTENSIONS,
      typeOverSelection,
      keymap.of([
        { key: 'Mod-Enter', run },
        { key: 'Alt-ArrowDown', run: jump(1) },
        { key: 'Alt-ArrowUp', run: jump(-1) },
        ...closeBracketsKeymap,
        ...completionKeymap,
        ...searchKeymap,
        ...foldKeymap,
        ...lintKeymap,
        ...historyKeymap,
        ...defaultKeymap,
        indentWithTab,
      ]),
      runGutter(onRun),
      lineNumbers(),
      foldGutter({ openText: '⌄', closedText: '›' }),
      history(),
      drawSelection(),
      highlightActiveLine(),
      highlightSelectionMatches(),
      indentUnit.of('  '),
      EditorState.tabSize.of(2),
      indentOnInput(),
      bracketMatching(),
      closeBrackets(),
      autocompletion({ override: [completeSheet], icons: false, activateOnTypingDelay: 60 }),
      sheetLanguage,
      sheetFolding,
      linter((view) => [...syntaxErrors(view.state.doc), ...(serverErrors.get(view) ?? [])], { delay: 400, needsRefresh: () => true }),
      placeholder('GET _search'),
      EditorView.contentAttributes.of({ 'aria-label': 'Requests' }),
      EditorView.updateListener.of(({ docChanged, state, view }) => {
        if (!docChanged) return;
        serverErrors.delete(view);
        onChange(state.doc.toString());
      }),
    ],
  });
}

function syntaxErrors(doc: Text): Diagnostic[] {
  const sheet = doc.toString();
  const found: Diagnostic[] = [];
  for (const { bodyFrom, to } of parseSheet(sheet)) {
    if (to <= bodyFrom) continue;
    const { error } = readBody(sheet, bodyFrom, to);
    if (error) found.push(diagnosticAt(sheet, error.at, error.message, 'Syntax'));
  }
  return found;
}

/** Marks the word at a position, or the last character of the sheet if there is none. */
function diagnosticAt(sheet: string, at: number, message: string, source: string): Diagnostic {
  const word = /^(?:"[^"\n]*"?|[\w.-]+|\S)/.exec(sheet.slice(at, at + 200))?.[0].length ?? 0;
  const from = Math.min(word === 0 ? at - 1 : at, sheet.length - 1);
  return { from: Math.max(0, from), to: Math.min(sheet.length, Math.max(from + 1, at + word)), severity: 'error', message, source };
}

/** Errors that the service reported, until the sheet changes. */
const serverErrors = new WeakMap<EditorView, readonly Diagnostic[]>();

/** Underlines an error that the service reported. */
export function showServerError(view: EditorView, at: number, message: string): void {
  serverErrors.set(view, [diagnosticAt(view.state.doc.toString(), at, message, 'Service')]);
  refreshErrors(view);
}

export function clearErrors(view: EditorView): void {
  if (serverErrors.delete(view)) refreshErrors(view);
}

/** An empty transaction makes the linter run again. */
function refreshErrors(view: EditorView): void {
  view.dispatch({});
  forceLinting(view);
}

function jumpToRequest(view: EditorView, direction: 1 | -1): boolean {
  const { head } = view.state.selection.main;
  const starts = parseSheet(view.state.doc.toString()).map(({ from }) => from);
  const target = direction > 0 ? starts.find((start) => start > head) : starts.findLast((start) => start < head);
  if (target === undefined) return true;
  view.dispatch({ selection: { anchor: target }, effects: EditorView.scrollIntoView(target, { y: 'start', yMargin: 40 }) });
  return true;
}

class RunMarker extends GutterMarker {
  readonly #request: SheetRequest;
  readonly #onRun: SheetEditorOptions['onRun'];

  constructor(request: SheetRequest, onRun: SheetEditorOptions['onRun']) {
    super();
    this.#request = request;
    this.#onRun = onRun;
  }

  override eq(other: GutterMarker): boolean {
    return other instanceof RunMarker && other.#request.from === this.#request.from && other.#request.method === this.#request.method;
  }

  override toDOM(): Node {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'run-here';
    button.tabIndex = -1;
    button.title = `Run this request (Ctrl-Enter)`;
    button.setAttribute('aria-label', `Run ${this.#request.method} ${this.#request.path}`);
    button.addEventListener('mousedown', (event) => {
      event.preventDefault();
      this.#onRun({ from: this.#request.from, to: this.#request.from });
    });
    return button;
  }
}

function runGutter(onRun: SheetEditorOptions['onRun']) {
  return gutter({
    class: 'run-gutter',
    markers: ({ state }) =>
      RangeSet.of(
        parseSheet(state.doc.toString()).map((request) => new RunMarker(request, onRun).range(state.doc.lineAt(request.from).from)),
        true,
      ),
    initialSpacer: () => new RunMarker({ method: 'GET', path: '/', from: 0, to: 0, pathFrom: 0, bodyFrom: 0 }, onRun),
  });
}
