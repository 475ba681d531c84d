/** `npm start`, `npm run chat`, `npm run longhand`: builds what has changed, then is the `longhand` command. */
import './build.ts';
import './end-with-the-shell.ts';
import './in-the-callers-folder.ts';

await import('../packages/server/bin/longhand.js' as string);
