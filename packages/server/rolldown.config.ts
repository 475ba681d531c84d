import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';
import {
  LEAN_OUTPUT,
  readClassesLater,
  takeBuiltinsDirectly,
  writeAscii,
} from '../../scripts/lean-bundle.ts';
import manifest from './package.json' with { type: 'json' };

/**
 * One file for the command, and one for each thing that it loads only when it is needed. What every start needs is
 * bundled, without the parts that are not used: reading a hundred small files was the larger half of the start. zod
 * is a dependency all the same, because the AI SDK and the MCP SDK ask for it; they load with the first use.
 */
const BUNDLED = ['zod'];
const external = Object.keys(manifest.dependencies).filter((name) => !BUNDLED.includes(name));

/** A bundle with the code of others carries their licences. */
const licences: Plugin = {
  name: 'licences',
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
    const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
    const texts = [...new Set(folders)].sort().map((folder) => {
      const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      if (file === undefined) throw new Error(`${name} is bundled and has no licence.`);
      return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
    });
    this.emitFile({ type: 'asset', fileName: 'licences.txt', source: texts.join(`\n${'-'.repeat(80)}\n\n`) });
  },
};

export default defineConfig({
  input: { longhand: 'src/longhand.ts' },
  platform: 'node',
  external: [/^node:/, ...external.map((name) => new RegExp(`^${name}(/|$)`))],
  plugins: [licences, takeBuiltinsDirectly(), readClassesLater(), writeAscii()],
  output: {
    ...LEAN_OUTPUT,
    dir: 'dist',
    // One file for what every command needs, one for what opens a store: each file costs a millisecond.
    codeSplitting: {
      groups: [
        { name: 'main', test: /\/src\/cli\/main\.ts$/, priority: 2 },
        { name: 'services', test: /\/src\/services\.ts$/, priority: 1 },
      ],
    },
  },
});
