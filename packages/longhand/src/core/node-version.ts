import { ValidationError } from './errors.ts';

/** An older Node fails in the middle of a call, for want of a function. @throws ValidationError NODE_TOO_OLD */
export function refuseOldNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) return;
  throw new ValidationError(
    'NODE_TOO_OLD',
    `Longhand needs Node 22.13 or newer, this is ${process.version}.`,
  );
}
