// The image's HEALTHCHECK: whether the server of `schedule` is alive. Where none is wanted, nothing is wrong with it.
const { HTTP_HOST, HTTP_PORT } = process.env;
const port = HTTP_PORT || '8080';
const everywhere: Record<string, string> = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '::1' };
const host = everywhere[HTTP_HOST ?? ''] ?? HTTP_HOST!;

if (port !== '0') {
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/healthz`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(4_000) }).catch(() => null);
  process.exitCode = answer?.ok ? 0 : 1;
}

export {};
