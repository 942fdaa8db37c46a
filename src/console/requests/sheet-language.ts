// The language of sheets for the editor: colours, indentation, folding.
import { foldService, HighlightStyle, StreamLanguage, type StreamParser } from '@codemirror/language';
import { tags } from '@lezer/highlight';

interface State {
  inRaw: boolean;
  depth: number;
  /** The next string of an object is a name. */
  isPath: boolean;
}

const METHOD = /^(?:GET|POST|PUT|DELETE|HEAD|PATCH|OPTIONS)(?=[ \t]+\S)/i;

const parser: StreamParser<State> = {
  name: 'requests',
  startState: () => ({ inRaw: false, depth: 0, isPath: false }),
  token(stream, state) {
    if (state.inRaw) {
      state.inRaw = !stream.match(/^.*?"""/);
      if (state.inRaw) stream.skipToEnd();
      return 'string';
    }
    if (stream.sol()) {
      stream.eatSpace();
      const method = stream.match(METHOD);
      if (method) {
        state.isPath = true;
        state.depth = 0;
        return /^delete/i.test(stream.current().trim()) ? 'deleted' : 'keyword';
      }
      state.isPath = false;
      if (stream.match(/^(?:#|\/\/).*/)) return 'comment';
    }
    if (stream.eatSpace()) return null;
    if (state.isPath) {
      if (stream.match(/^[?&]/)) return 'punctuation';
      if (stream.match(/^\/?_[^/?\s]+/)) return 'atom';
      if (stream.match(/^[^/?&=\s]+(?==)/)) return 'propertyName';
      stream.match(/^(?:\/|[=][^&\s]*|[^/?&\s]+)/) || stream.next();
      return 'meta';
    }
    if (stream.match('"""')) {
      state.inRaw = !stream.match(/^.*?"""/);
      if (state.inRaw) stream.skipToEnd();
      return 'string';
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return stream.match(/^\s*:/, false) ? 'propertyName' : 'string';
    if (stream.match(/^-?\d[\d.eE+-]*/)) return 'number';
    if (stream.match(/^(?:true|false|null)\b/)) return 'bool';
    if (stream.match(/^(?:#|\/\/).*/)) return 'comment';
    const char = stream.next();
    if (char === '{' || char === '[') state.depth++;
    if (char === '}' || char === ']') state.depth = Math.max(0, state.depth - 1);
    return 'punctuation';
  },
  indent: (state, textAfter, { unit }) => Math.max(0, state.depth - (/^\s*[}\]]/.test(textAfter) ? 1 : 0)) * unit,
  languageData: {
    commentTokens: { line: '#' },
    closeBrackets: { brackets: ['{', '[', '"'] },
    indentOnInput: /^\s*[}\]]$/,
  },
};

export const sheetLanguage = StreamLanguage.define(parser);

/** Folds the lines from an opening bracket at the end of a line to the line of its closing bracket. */
export const sheetFolding = foldService.of((state, lineStart, lineEnd) => {
  const line = state.doc.sliceString(lineStart, lineEnd).trimEnd();
  if (!/[{[]$/.test(line)) return null;
  const from = lineStart + line.length;
  let depth = 1;
  let inString = false;
  const text = state.doc.sliceString(from, Math.min(state.doc.length, from + 1_000_000));
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '"') inString = !inString;
    else if (inString && char === '\\') i++;
    else if (inString && char === '\n') inString = false;
    else if (!inString && (char === '{' || char === '[')) depth++;
    else if (!inString && (char === '}' || char === ']') && --depth === 0) return { from, to: from + i };
  }
  return null;
});

/** Colours are CSS classes, so that the style sheet decides on light and dark. */
export const codeColors = HighlightStyle.define([
  { tag: tags.keyword, class: 'tok-keyword' },
  { tag: tags.deleted, class: 'tok-deleted' },
  { tag: tags.propertyName, class: 'tok-property' },
  { tag: tags.string, class: 'tok-string' },
  { tag: tags.number, class: 'tok-number' },
  { tag: [tags.bool, tags.null], class: 'tok-bool' },
  { tag: tags.comment, class: 'tok-comment' },
  { tag: tags.atom, class: 'tok-atom' },
  { tag: tags.meta, class: 'tok-meta' },
  { tag: tags.punctuation, class: 'tok-punctuation' },
]);
