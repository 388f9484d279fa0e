import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { peers, searched } from '../../support/peers.ts';

/** What is on a screen: pixels as `0xrrggbb`, row by row. */
export type Screen = { readonly width: number; readonly height: number; readonly pixels: Uint32Array };

export type Display = {
  /** For the environment: `:99`. */
  readonly name: string;
  read(): Promise<Screen>;
  close(): Promise<void>;
};

/** A screen that nobody sees, at a free number that Xvfb finds itself. */
export async function openDisplay(width: number, height: number): Promise<Display> {
  const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-display-'));
  const args = [
    ...['-displayfd', '3', '-screen', '0', `${width}x${height}x24`, '-fbdir', folder],
    ...['-nolisten', 'tcp', '-noreset'],
  ];
  const child = spawn(peers.Xvfb.program, args, {
    env: { PATH: searched },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  const [number] = await once(createInterface(child.stdio[3] as Readable), 'line');
  return {
    name: `:${number}`,
    read: async () => readDump(await readFile(path.join(folder, 'Xvfb_screen0'))),
    async close() {
      if (child.kill()) await exited;
      await rm(folder, { recursive: true });
    },
  };
}

/** A dump as `xwd` writes it (XWDFile.h): 32-bit fields, then colours, then pixels of 32 bits. */
function readDump(dump: Buffer): Screen {
  const field = (index: number) => dump.readUInt32BE(index * 4);
  const [start, width, height, bytesPerLine, colours] = [field(0), field(4), field(5), field(12), field(19)];
  const first = start! + colours! * 12;
  const read = field(7) === 0 ? dump.readUInt32LE.bind(dump) : dump.readUInt32BE.bind(dump);
  const pixels = Uint32Array.from({ length: width! * height! }, (_, index) => {
    const row = Math.floor(index / width!);
    return read(first + row * bytesPerLine! + (index % width!) * 4) & 0xffffff;
  });
  return { width: width!, height: height!, pixels };
}
