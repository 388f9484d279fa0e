import manifest from '../../package.json' with { type: 'json' };

/** How requests name their sender, for the logs of whoever receives them. */
export const userAgent = `callsheet/${manifest.version}`;
