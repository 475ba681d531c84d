interface FileTrouble extends Error {
  readonly code: string;
  readonly path: string;
  readonly syscall: string;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTDIR: 'a part of the path is no folder',
  EEXIST: 'there is a file of this name',
  EISDIR: 'it is a folder',
  ENOENT: 'it is not there',
  EACCES: 'this user may not use it',
  EPERM: 'this user may not use it',
  EROFS: 'the disk can only be read',
  ENOSPC: 'the disk is full',
};

/** Whether it is about a folder or file that the system refuses, met before the store was. */
export function isFileTrouble(error: unknown): error is FileTrouble {
  return error instanceof Error && 'syscall' in error && 'path' in error && 'code' in error;
}

/** What Node says of files is meant for programmers. */
export function explainFileTrouble({ code, path, syscall }: FileTrouble): string {
  const isUnmakable = syscall === 'mkdir' && code === 'ENOENT';
  return `${path} cannot be used: ${isUnmakable ? 'it is not there, and no folder can be made there' : reasonOf(code)}.`;
}

/** What the system's code for a refusal means. */
export function reasonOf(code: string): string {
  return REASONS[code] ?? `the system answered ${code}`;
}
