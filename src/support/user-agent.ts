import manifest from '../../package.json' with { type: 'json' };

/** The sender of requests, for the logs of whoever receives them. */
export const userAgent = `callsheet/${manifest.version}`;
