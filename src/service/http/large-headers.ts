import http from 'node:http';

/** Cookies and policies of a proxy easily take more than Node's 16 KiB. */
const maxHeaderSize = 65_536;

/**
 * Lets `fetch` accept response headers of 64 KiB: it reads this property for each new connection, and has no option of
 * its own. `--max-http-header-size` would do the same, but has to be repeated wherever Node is started.
 */
export function acceptLargeHeaders(): void {
  Object.defineProperty(http, 'maxHeaderSize', { value: maxHeaderSize });
}
