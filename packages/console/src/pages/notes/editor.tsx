import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { defineLanguageFacet, HighlightStyle, Language, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { GFM, parser } from '@lezer/markdown';
import { type ReactNode, useEffect, useRef } from 'react';

export interface EditorProps {
  readonly text: string;
  readonly isReadOnly: boolean;
  readonly onChange: (text: string) => void;
  readonly onSave: () => void;
  /** The line to show, from 1; a new object each time. */
  readonly goTo: { readonly line: number } | undefined;
}

const markdown = new Language(defineLanguageFacet(), parser.configure(GFM), [], 'markdown');

const ink = HighlightStyle.define([
  { tag: tags.heading1, fontWeight: '600', fontSize: '1.35em' },
  { tag: tags.heading2, fontWeight: '600', fontSize: '1.18em' },
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.strong, fontWeight: '700' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: tags.monospace, fontFamily: 'var(--font-mono)', fontSize: '0.88em' },
  { tag: [tags.link, tags.url], color: 'var(--ink-blue)' },
  { tag: tags.quote, color: 'var(--ink-2)', fontStyle: 'italic' },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.labelName], color: 'var(--ink-3)' },
]);

const look = EditorView.theme({
  '&': { color: 'var(--ink)', blockSize: '100%', font: '1rem / 1.6 var(--font-text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: 'inherit', lineHeight: '1.6' },
  '.cm-content': { padding: '16px 0', caretColor: 'var(--ink-blue)', maxInlineSize: '72ch' },
  '.cm-line': { padding: '0 20px', unicodeBidi: 'plaintext', textAlign: 'start' },
  '.cm-placeholder': { color: 'var(--ink-3)' },
});

/**
 * An editor of Markdown. It lives in a shadow root: there it brings its style as a sheet of its own, which the policy of the
 * page allows, and does not write a `<style>`, which it forbids.
 */
export function Editor({ text, isReadOnly, onChange, onSave, goTo }: EditorProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef({ onChange, onSave });
  const first = useRef(text);
  useEffect(() => {
    latest.current = { onChange, onSave };
  });
  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' });
    const save = (): boolean => {
      latest.current.onSave();
      return true;
    };
    const made = new EditorView({
      parent: root as unknown as Element,
      root,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          history(),
          keymap.of([{ key: 'Mod-s', run: save, preventDefault: true }, ...defaultKeymap, ...historyKeymap]),
          markdown,
          syntaxHighlighting(ink),
          look,
          EditorView.lineWrapping,
          EditorView.perLineTextDirection.of(true),
          EditorView.contentAttributes.of({ 'aria-label': 'The notes, in Markdown' }),
          EditorState.readOnly.of(isReadOnly),
          placeholder('No notes yet. The agent keeps them with manage_long_term_memory; you can begin.'),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) latest.current.onChange(state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, [isReadOnly]);
  // Another text: that of another version, or what was put together. What can be undone stays so.
  useEffect(() => {
    const { current } = view;
    first.current = text;
    if (current === null || current.state.doc.toString() === text) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: text } });
  }, [text]);
  useEffect(() => {
    const { current } = view;
    if (goTo === undefined || current === null) return;
    const { from } = current.state.doc.line(Math.min(goTo.line, current.state.doc.lines));
    current.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: 'start' }),
    });
    current.focus();
  }, [goTo]);
  return <div ref={host} className="editor" />;
}
