/** The account of a service that a test starts, or is. */
export const account = { name: 'main', label: 'main', timeZone: 'UTC' };
