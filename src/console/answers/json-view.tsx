// A read-only editor for JSON: coloured, foldable, searchable. Only visible lines are rendered, so large responses cost little.
import { defaultKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, foldGutter, foldKeymap } from '@codemirror/language';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { BASE_EXTENSIONS } from '../requests/editor.ts';

export interface JsonViewProps {
  readonly text: string;
  /** False for plain text, which is not coloured. */
  readonly isJson: boolean;
  readonly label: string;
}

export function JsonView({ text, isJson, label }: JsonViewProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<{ readonly editor: EditorView; readonly language: Compartment } | null>(null);
  useEffect(() => {
    if (host.current === null) return;
    const language = new Compartment();
    const editor = new EditorView({
      parent: host.current,
      doc: text,
      extensions: [
        BASE_EXTENSIONS,
        keymap.of([...searchKeymap, ...foldKeymap, ...defaultKeymap]),
        lineNumbers(),
        foldGutter({ openText: '⌄', closedText: '›' }),
        drawSelection(),
        bracketMatching(),
        highlightSelectionMatches(),
        EditorState.readOnly.of(true),
        language.of(isJson ? json() : []),
        EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true' }),
      ],
    });
    view.current = { editor, language };
    return () => {
      view.current = null;
      editor.destroy();
    };
  }, []);
  useEffect(() => {
    if (view.current === null) return;
    const { editor, language } = view.current;
    if (editor.state.doc.toString() === text) return;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: text },
      effects: language.reconfigure(isJson ? json() : []),
      selection: { anchor: 0 },
      scrollIntoView: true,
    });
  }, [text, isJson]);
  return <div class="code-host" ref={host} />;
}
