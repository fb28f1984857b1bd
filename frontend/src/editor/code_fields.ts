// Text in CodeMirror: the file as a whole, and formulas of one line with completion.
import { autocompletion, completionKeymap, type CompletionContext } from "@codemirror/autocomplete";
import { defaultKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { defaultHighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { setDiagnostics } from "@codemirror/lint";
import { Annotation, EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import type { Remark } from "./contract.ts";

const PART = 2500; // characters of a message
const given = Annotation.define<boolean>(); // the change came from the server
const LOOK = EditorView.theme({ "&": { fontSize: "13px", height: "100%" }, ".cm-scroller": { overflow: "auto" } });

export interface TextPane {
  show(text: string, version: number, remarks: Remark[]): void;
  toLine(line: number): void;
}
/** The text of the file; `splice` gets each change that a person makes, in order. */
export const makeTextPane = (parent: HTMLElement, splice: (at: number, removed: number, inserted: string) => void): TextPane => {
  const typing = EditorView.updateListener.of((update) => {
    if (!update.docChanged || update.transactions.some((one) => one.annotation(given))) return;
    let moved = 0;
    update.changes.iterChanges((from, to, _a, _b, inserted) => {
      const text = inserted.toString(), at = from + moved;
      splice(at, to - from, text.slice(0, PART));
      for (let k = PART; k < text.length; k += PART) splice(at + k, 0, text.slice(k, k + PART));
      moved += text.length - (to - from);
    });
  });
  const view = new EditorView({
    parent, state: EditorState.create({
      extensions: [lineNumbers(), yaml(), syntaxHighlighting(defaultHighlightStyle), keymap.of(defaultKeymap), LOOK, typing,
        EditorView.lineWrapping],
    }),
  });
  return {
    show: (text, _version, remarks) => {
      const old = view.state.doc.toString();
      if (old !== text) {
        let start = 0, end = 0;
        const most = Math.min(old.length, text.length);
        while (start < most && old[start] === text[start]) start++;
        while (end < most - start && old[old.length - 1 - end] === text[text.length - 1 - end]) end++;
        view.dispatch({ changes: { from: start, to: old.length - end, insert: text.slice(start, text.length - end) },
          annotations: given.of(true) });
      }
      const marks = remarks.filter(({ line }) => line > 0 && line <= view.state.doc.lines).map(({ line, text: message,
        kind }) => {
        const { from, to } = view.state.doc.line(line);
        return { from, to, message, severity: kind === "error" ? "error" as const : "warning" as const };
      });
      view.dispatch(setDiagnostics(view.state, marks));
    },
    toLine: (line) => {
      const at = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines)).from;
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    },
  };
};

/** A formula on one line: Enter or leaving the field sets it, typing tries it. */
export const makeFormula = (
  parent: HTMLElement, text: string, label: string, words: () => string[], set: (text: string) => void,
    attempt: (text: string) => void,
): void => {
  const complete = (context: CompletionContext) => {
    const word = context.matchBefore(/[\w.]*$/);
    if (!word || (word.from === word.to && !context.explicit)) return null;
    return { from: word.from, options: words().map((one) => ({ label: one })) };
  };
  let known = text;
  const commit = (view: EditorView) => {
    const now = view.state.doc.toString().trim();
    if (now !== known) { known = now; set(now); }
    return true;
  };
  const view: EditorView = new EditorView({
    parent, state: EditorState.create({
      doc: text,
      extensions: [
        autocompletion({ override: [complete] }), keymap.of(completionKeymap), keymap.of([{ key: "Enter", run: commit }]),
          keymap.of(defaultKeymap),
        EditorState.transactionFilter.of((change) => (change.newDoc.lines > 1 ? [] : change)), EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label }),
        EditorView.updateListener.of(({ docChanged, state }) => { if (docChanged) attempt(state.doc.toString().trim()); }),
        EditorView.domEventHandlers({ blur: () => { commit(view); } }),
      ],
    }),
  });
};
