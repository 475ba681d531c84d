export { type Notes, NotesLayer } from './notes.ts';
export { type NotesChange, parseNotesChange } from './notes-change.ts';
export { notesLayer } from './notes-layer.ts';
