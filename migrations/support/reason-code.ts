/** SQL: the code under which readers know an anomaly or what a held response takes away: upper case, like those of errors. */
export const reasonCode = (code: string): string => `upper(${code})`;
