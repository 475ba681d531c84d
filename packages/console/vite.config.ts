import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

/** Where the server listens while `npm run dev` shows the sources. */
const server = 'http://127.0.0.1:4750';

/** The console lies beside the server's own files: it is part of that package. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  resolve: { conditions: ['longhand-source', ...defaultClientConditions] },
  logLevel: 'warn',
  build: {
    outDir: join(import.meta.dirname, '../server/dist/console'),
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the pages allows files of this server alone: nothing is written into them, fonts included.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/api': server, '/agent/': server } },
});
