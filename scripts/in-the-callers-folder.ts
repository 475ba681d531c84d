/**
 * npm runs scripts in the clone, and says in `INIT_CWD` where it was called. The files that are named on the command
 * line are those of whoever typed it.
 */
if (process.env.INIT_CWD !== undefined) process.chdir(process.env.INIT_CWD);
