/**
 * Waits for some work, but no longer than this; an infinite time is no bound. Returns whether it was done in time.
 * Late work goes on without the caller. @throws what the work throws, unless it is late
 */
export async function atMost(ms: number, work: Promise<unknown>): Promise<boolean> {
  if (ms === Number.POSITIVE_INFINITY) {
    await work;
    return true;
  }
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
