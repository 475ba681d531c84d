import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installedByDebian } from './install-for-campaigns.ts';

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** Without the fonts, screenshots show boxes in place of emoji and of right-to-left text. */
const PACKAGES = ['chromium', 'fonts-noto-color-emoji', 'fonts-noto-core'];

/** The file of a Chromium on the PATH; `undefined` when there is none. */
export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return BROWSERS.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) =>
    existsSync(path),
  );
}

/** Called by Vitest before the tests in a browser. @throws Error when there is none and none can be installed */
export default function install(): void {
  if (findChromium() === undefined && !installedByDebian(PACKAGES, findChromium))
    throw new Error(`The tests in a browser need Chromium: apt-get install ${PACKAGES.join(' ')}`);
}
