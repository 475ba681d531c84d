/**
 * npm passes a signal on to the shell in which it runs a script, and that shell ends without passing it on. So when
 * the shell is gone, this process has been asked to end too: a server must not go on out of the user's reach.
 */
const CHECK_MS = 250;
const shell = process.ppid;

const watching = setInterval(() => {
  if (process.ppid === shell) return;
  // Once: a second signal would end it without its last work.
  clearInterval(watching);
  process.kill(process.pid, 'SIGTERM');
}, CHECK_MS);
watching.unref();
