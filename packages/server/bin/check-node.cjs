/* Says plainly that this Node is too old. Written so that any Node can read it: the rest would be a SyntaxError. */
var parts = process.version.slice(1).split('.').map(Number);
if (parts[0] < 22 || (parts[0] === 22 && parts[1] < 13)) {
  console.error(`Longhand needs Node 22.13 or newer, this is ${process.version}.`);
  process.exit(1);
}
