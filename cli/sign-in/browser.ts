// The person's browser. Where none opens they open the address themselves.
import { spawn } from 'node:child_process';
import { environment } from '#lib/settings/environment.ts';

const OPENERS: Partial<Record<NodeJS.Platform, [command: string, ...before: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Nothing of it is waited for, and nothing is said where it fails. */
export function openBrowser(address: string): void {
  const { DISPLAY, WAYLAND_DISPLAY, BROWSER } = environment();
  const [command, ...before] = OPENERS[process.platform] ?? ['xdg-open'];
  // without a screen xdg-open takes a browser of the terminal
  if (command === 'xdg-open' && !DISPLAY && !WAYLAND_DISPLAY && !BROWSER) return;
  const opener = spawn(command, [...before, address], { stdio: 'ignore', detached: true });
  opener.on('error', () => {});
  opener.unref();
}
