import { createStore } from 'zustand/vanilla';

export type Theme = 'system' | 'light' | 'dark';

const ORDER: readonly Theme[] = ['system', 'light', 'dark'];

/** What the reader has chosen. */
export const theme = createStore<{ readonly theme: Theme }>(() => {
  const chosen = document.documentElement.dataset.theme;
  return { theme: chosen === 'light' || chosen === 'dark' ? chosen : 'system' };
});

/** @param next the one after that which is shown when left out */
export function setTheme(next = ORDER[(ORDER.indexOf(theme.getState().theme) + 1) % ORDER.length]!): void {
  theme.setState({ theme: next });
  if (next === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  try {
    // `theme.js` reads it before the next first paint.
    if (next === 'system') localStorage.removeItem('longhand-theme');
    else localStorage.setItem('longhand-theme', next);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}
