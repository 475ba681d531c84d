export { type StoredWindow, type WindowStore, Windows } from './window.ts';
export { windowLayer } from './window-layer.ts';
