// Completion in the editor: determines the context at the cursor, gets suggestions from suggestions.ts, and inserts names with quotes,
// colons and brackets.
import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  pickedCompletion,
  startCompletion,
} from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';
import { loadCatalog } from '../catalog.ts';
import type { Catalog } from '../catalog-types.ts';
import { liveFields, liveIndices } from '../names.ts';
import { type BodyContext, bodyContext } from './body-context.ts';
import { METHODS, parseSheet, requestAt } from './sheet.ts';
import {
  apiOfPath,
  bodySuggestions,
  indexOfPath,
  type LiveNames,
  paramSuggestions,
  type Suggestion,
  segmentSuggestions,
} from './suggestions.ts';

export async function completeSheet(context: CompletionContext): Promise<CompletionResult | null> {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  const request = /^\s*(GET|POST|PUT|DELETE|HEAD|PATCH|OPTIONS)\s+(\S*)$/i.exec(before);
  if (request) return completePath(request[1].toUpperCase(), request[2], context.pos);
  const sheet = context.state.doc.toString();
  const found = requestAt(parseSheet(sheet), context.pos);
  if (found === null || context.pos < found.bodyFrom || /^\s*[A-Za-z]*$/.test(before)) {
    const method = completeMethod(context, before);
    if (method) return method;
  }
  if (found === null || context.pos < found.bodyFrom) return null;
  const place = bodyContext(sheet.slice(found.bodyFrom, context.pos));
  if (place === null || (!context.explicit && place.word === '' && !place.isQuoted)) return null;
  const [catalog, names] = await Promise.all([loadCatalog(), namesOf(indexOfPath(found.path))]);
  const options = bodySuggestions(catalog, apiOfPath(catalog, found.method, found.path), place, names);
  if (options.length === 0) return null;
  const from = found.bodyFrom + place.from;
  return { from, options: options.map((option) => bodyCompletion(option, place)), validFor: /^"?[\w.*-]*$/ };
}

function completeMethod(context: CompletionContext, before: string): CompletionResult | null {
  if (!/^\s*[A-Za-z]*$/.test(before) || (before.trim() === '' && !context.explicit)) return null;
  const word = before.trim();
  if (word !== '' && !METHODS.some((method) => method.startsWith(word.toUpperCase()))) return null;
  return {
    from: context.pos - word.length,
    options: METHODS.map((label) => ({ label, type: 'keyword', apply: insertAndContinue(`${label} `) })),
    validFor: /^[A-Za-z]*$/,
  };
}

async function completePath(method: string, path: string, position: number): Promise<CompletionResult> {
  const catalog = await loadCatalog();
  const mark = path.indexOf('?');
  if (mark >= 0) {
    const query = path.slice(mark + 1);
    const word = /[^&=]*$/.exec(query)?.[0] ?? '';
    const isName = !query.slice(query.lastIndexOf('&') + 1).includes('=');
    return {
      from: position - word.length,
      options: paramSuggestions(catalog, method, path.slice(0, mark), query).map(({ label, detail }) => ({
        label,
        detail,
        type: 'property',
        apply: isName && detail !== undefined ? insertAndContinue(`${label}=`) : label,
      })),
      validFor: /^[\w.]*$/,
    };
  }
  const slash = path.lastIndexOf('/');
  const word =
    path
      .slice(slash + 1)
      .split(',')
      .at(-1) ?? '';
  const names = await namesOf(undefined);
  return {
    from: position - word.length,
    options: segmentSuggestions(catalog, method, path.slice(0, slash + 1), names).map(({ label, detail }) => ({
      label,
      detail,
      type: detail === 'index' ? 'class' : 'function',
      boost: hasMore(catalog, detail) ? 1 : 0,
    })),
    validFor: /^[^/?\s,]*$/,
  };
}

const COMMON_APIS = new Set(['search', 'index', 'count', 'indices.create', 'bulk', 'cat.indices', 'indices.get_mapping']);
const hasMore = (_catalog: Catalog, detail: string | undefined): boolean => detail !== undefined && COMMON_APIS.has(detail);

/** @param index  undefined for no fields. Resolves without names if the service does not respond. */
async function namesOf(index: string | null | undefined): Promise<LiveNames> {
  const [indices, fields] = await Promise.all([
    liveIndices().catch(() => []),
    index === undefined ? new Map<string, string>() : liveFields(index).catch(() => new Map<string, string>()),
  ]);
  return { indices, fields };
}

function bodyCompletion({ label, detail, info, value }: Suggestion, place: BodyContext): Completion {
  const isKey = place.at === 'key';
  const isBare = !isKey && /^(?:true|false|-?\d+)$/.test(label);
  return {
    label: place.isQuoted ? `"${label}` : label,
    displayLabel: label,
    detail,
    info,
    type: isKey ? 'property' : 'constant',
    apply: (view, completion, from, to) => {
      const after = view.state.sliceDoc(to, to + 1);
      const end = after === '"' ? to + 1 : to;
      const isNamed = /^\s*:/.test(view.state.sliceDoc(end, end + 20));
      const name = isBare ? label : JSON.stringify(label);
      insertAt(view, completion, from, end, isKey && !isNamed ? `${name}: ${value ?? '|'}` : `${name}|`);
    },
  };
}

/** Inserts text and puts the cursor in place of the first `|`; reopens completion within brackets and quotes. */
function insertAt(view: EditorView, completion: Completion, from: number, to: number, template: string): void {
  const cursor = template.indexOf('|');
  const text = template.replace('|', '');
  view.dispatch({
    changes: { from, to, insert: text },
    selection: { anchor: from + (cursor < 0 ? text.length : cursor) },
    annotations: pickedCompletion.of(completion),
    userEvent: 'input.complete',
  });
  if (/["{[] ?\|/.test(template)) startCompletion(view);
}

function insertAndContinue(text: string) {
  return (view: EditorView, completion: Completion, from: number, to: number): void => {
    insertAt(view, completion, from, to, `${text}|`);
    startCompletion(view);
  };
}
