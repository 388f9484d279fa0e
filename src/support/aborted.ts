/** Resolves once the signal is aborted, and keeps the process up until then. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  // A promise alone doesn't keep a process alive; a timer does.
  const stayUp = setInterval(() => {}, 2 ** 30);
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(clearInterval(stayUp)), { once: true });
  });
}
