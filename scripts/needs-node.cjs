/*
 * Says plainly that this Node cannot run the sources. It is loaded before the scripts (`node -r`), which are TypeScript:
 * a Node of old would only say that it does not know the ending. Any Node can read this file.
 */
if (!process.features.typescript) {
  console.error(
    'A clone of Longhand needs Node 22.18 or newer, this is ' +
      process.version +
      ', and npm install has brought no other Node for ' +
      process.platform +
      ' on ' +
      process.arch +
      '.',
  );
  process.exit(1);
}
