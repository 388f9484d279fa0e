import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import chromium, { inflate } from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

const kept = path.join(tmpdir(), 'callsheet-chromium-153');

/**
 * Starts a headless Chromium from a package, which has one for Linux on x64. CHROMIUM selects another:
 * `CHROMIUM=/usr/bin/chromium npm test`.
 */
export async function openBrowser(): Promise<Browser> {
  const installed = process.env.CHROMIUM;
  return await playwright.launch({
    executablePath: installed || (await unpacked()),
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
    // The package brings libraries that a slim machine lacks.
    ...(!installed && { env: { ...process.env, LD_LIBRARY_PATH: path.join(kept, 'al2023', 'lib') } }),
  });
}

/** Returns the program's path. It is unpacked elsewhere and then moved: other tests may need it at the same time. */
async function unpacked(): Promise<string> {
  const program = path.join(kept, 'chromium');
  if (existsSync(program)) return program;
  const temporary = await mkdtemp(`${kept}-`);
  const before = process.env.TMPDIR;
  process.env.TMPDIR = temporary;
  try {
    await chromium.executablePath();
    const packed = import.meta.resolve('@sparticuz/chromium');
    await inflate(fileURLToPath(new URL('../bin/al2023.tar.br', packed)));
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
  await rename(temporary, kept).catch(() => rm(temporary, { recursive: true }));
  return program;
}
