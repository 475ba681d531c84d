// Runs before the first paint, so that a page never flashes in the other theme.
try {
  const theme = localStorage.getItem('longhand-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system's theme is shown.
}
