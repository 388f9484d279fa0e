import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { peers, searched } from '../../support/peers.ts';
import { type Display, openDisplay } from './display.ts';

/** What a new profile would begin with instead of showing a message, or request over the network. */
const preferences = {
  'app.donation.eoy.version.viewed': 999,
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.cache.disk.enable': false,
  'datareporting.healthreport.uploadEnabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.update.enabled': false,
  'mail.accountmanager.accounts': 'account1',
  'mail.account.account1.server': 'server1',
  'mail.accountmanager.localfoldersserver': 'server1',
  'mail.provider.suppress_dialog_on_startup': true,
  'mail.rights.version': 1,
  'mail.server.server1.hostname': 'Local Folders',
  'mail.server.server1.name': 'Local Folders',
  'mail.server.server1.type': 'none',
  'mail.server.server1.userName': 'nobody',
  'mail.shell.checkDefaultClient': false,
  'mail.spotlight.firstRunDone': true,
  'mailnews.start_page.enabled': false,
  'network.manage-offline-status': false,
  'offline.startup_state': 3,
  'toolkit.telemetry.enabled': false,
};

/** Thunderbird with a message in a window of its own, on a screen that nobody sees; in a profile for this once. */
export async function openMessage(
  message: string,
  {
    width,
    height,
    dark = false,
  }: { readonly width: number; readonly height: number; readonly dark?: boolean },
): Promise<{ readonly display: Display; close(): Promise<void> }> {
  const home = await mkdtemp(path.join(tmpdir(), 'callsheet-thunderbird-'));
  const profile = path.join(home, 'profile');
  const file = path.join(home, 'message.eml');
  await mkdir(profile);
  const set = { ...preferences, 'ui.systemUsesDarkTheme': dark ? 1 : 0 };
  const lines = Object.entries(set).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  await writeFile(path.join(profile, 'user.js'), lines.join('\n'));
  await writeFile(file, message);
  const display = await openDisplay(width, height);
  const child = spawn(
    peers.thunderbird.program,
    [
      '--no-remote',
      '--new-instance',
      '--profile',
      profile,
      '--width',
      `${width}`,
      '--height',
      `${height}`,
      file,
    ],
    {
      cwd: home,
      env: {
        PATH: searched,
        HOME: home,
        DISPLAY: display.name,
        LC_ALL: 'C.UTF-8',
        MOZ_CRASHREPORTER_DISABLE: '1',
      },
      stdio: 'ignore',
      // With its children, which outlive it.
      detached: true,
    },
  );
  const exited = once(child, 'exit');
  return {
    display,
    async close() {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGTERM');
      await exited;
      await display.close();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
