// A secret setting may name a file, as systemd and container platforms hand secrets over: NAME_FILE instead of NAME.
import { readFileSync } from 'node:fs';
import { SettingsError } from './settings-error.ts';
import { settingRows } from './table.ts';

type Variables = Record<string, string | undefined>;

/** Puts the content of each file in the place of its name, once, before anything else reads the environment. */
export function takeSecretFiles(env: Variables = process.env): void {
  for (const [name, { secret }] of settingRows()) {
    const pointer = `${name}_FILE`;
    const file = env[pointer];
    if (secret === undefined || !file) continue;
    if (env[name]) throw new SettingsError(`${name} and ${pointer} are both set: leave one of them away`);
    env[name] = contentOf(file, pointer);
    // a worker has the value
    delete env[pointer];
  }
}

/** Without the line break that an editor ends a file with. */
function contentOf(file: string, pointer: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingsError(`${pointer}: ${file} can not be read (${code})`, { cause: error });
  }
  const value = text.replace(/\r?\n$/, '');
  if (value === '') throw new SettingsError(`${pointer}: ${file} is empty`);
  return value;
}
