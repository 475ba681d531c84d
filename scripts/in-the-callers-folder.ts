/**
 * npm runs scripts in the clone, and says in `INIT_CWD` where it was called. Paths on the command line are relative to
 * the folder of the caller.
 */
if (process.env.INIT_CWD !== undefined) process.chdir(process.env.INIT_CWD);
